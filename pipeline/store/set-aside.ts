import { chmodSync, copyFileSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { basename, dirname, relative } from 'node:path'
import type { Log } from '../core/log.ts'
import { type Paths, PRIVATE_FOLDER_MODE } from './paths.ts'

/** Folder into which damaged files are moved, and the log that names them. */
export interface Aside {
  paths: Pick<Paths, 'dir' | 'damaged'>
  log: Log
}

/**
 * Moves a damaged file or folder to `damaged/`, which only the user of the registry can read, and logs its
 * name. An earlier one of that name is deleted: it is kept for inspection, and the latest is enough.
 */
export function setAside({ paths, log }: Aside, path: string, reason: string): void {
  const file = relative(paths.dir, path)
  if (existsSync(path)) {
    log.warn({ file, reason }, 'damaged: set aside and rebuilt')
    renameSync(path, preparePath(paths, path))
  } else log.warn({ file }, 'missing: rebuilt')
}

/** Copies a damaged file to `damaged/` and leaves the original where it is. */
export function copyAside({ paths, log }: Aside, path: string, reason: string): void {
  log.warn({ file: relative(paths.dir, path), reason }, 'damaged: set aside and rebuilt')
  copyFileSync(path, preparePath(paths, path))
}

function preparePath(paths: Aside['paths'], path: string): string {
  mkdirSync(paths.damaged, { recursive: true })
  chmodSync(paths.damaged, PRIVATE_FOLDER_MODE)
  const folder = `${paths.damaged}/${relative(paths.dir, dirname(path))}`
  mkdirSync(folder, { recursive: true })
  const target = `${folder}/${basename(path)}`
  rmSync(target, { recursive: true, force: true })
  return target
}
