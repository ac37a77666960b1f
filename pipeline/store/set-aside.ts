import { chmodSync, copyFileSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { basename, dirname, relative } from 'node:path'
import type { Log } from '../core/log.ts'
import { type Paths, PRIVATE } from './paths.ts'

/** Folder into which damaged files are moved, and the log that names them. */
export interface Aside {
  paths: Pick<Paths, 'dir' | 'damaged'>
  log: Log
}

/**
 * Moves a file or a folder that is damaged out of the way, into a folder that only the user of the
 * registry may look into, and logs its name. One that was set aside before under this name is deleted:
 * what is made again is worth looking at, not collecting.
 */
export function setAside({ paths, log }: Aside, path: string, reason: string): void {
  const file = relative(paths.dir, path)
  if (existsSync(path)) {
    log.warn({ file, reason }, 'damaged: set aside and rebuilt')
    renameSync(path, placeFor(paths, path))
  } else log.warn({ file }, 'missing: rebuilt')
}

/** Copies a damaged file aside that must stay where it is, and logs its name. */
export function copyAside({ paths, log }: Aside, path: string, reason: string): void {
  log.warn({ file: relative(paths.dir, path), reason }, 'damaged: set aside and rebuilt')
  copyFileSync(path, placeFor(paths, path))
}

function placeFor(paths: Aside['paths'], path: string): string {
  mkdirSync(paths.damaged, { recursive: true })
  chmodSync(paths.damaged, PRIVATE)
  const folder = `${paths.damaged}/${relative(paths.dir, dirname(path))}`
  mkdirSync(folder, { recursive: true })
  const place = `${folder}/${basename(path)}`
  rmSync(place, { recursive: true, force: true })
  return place
}
