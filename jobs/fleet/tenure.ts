import { randomUUID } from 'node:crypto'
import { renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { z } from 'zod'
import { readJsonFile, syncPath } from '../../pipeline/store/durable-files.ts'
import type { Paths } from '../../pipeline/store/paths.ts'

/** Identifies a DATA_DIR among those that may write, with the fencing number under which it wrote last. */
export interface Tenure {
  id: string
  /** 0 where it has never written. */
  fence: number
  /** Tells whether an operator has restored these stores since, which are to be continued although they lack answers. */
  isRestored?: boolean | undefined
}

const TenureFile = z.object({
  id: z.uuid(),
  fence: z.int(),
  inode: z.string(),
  is_restored: z.boolean().optional(),
})

type TenurePaths = Pick<Paths, 'tenure'>

/** Reads who this folder is. A copy of a folder is another one: two that write under one id would both go on. */
export function readTenure(paths: TenurePaths): Tenure {
  const known = readJsonFile(paths.tenure, TenureFile)
  if (known && known.inode === findInode(paths.tenure)) return toTenure(known)
  const tenure = createTenure(known?.fence ?? 0)
  writeTenure(paths, tenure)
  return tenure
}

/** Reads what a folder notes that has run with BACKUP_TO; undefined for any other. */
export function findTenure(paths: TenurePaths): Tenure | undefined {
  const known = readJsonFile(paths.tenure, TenureFile)
  return known && toTenure(known)
}

function toTenure({ id, fence, is_restored: isRestored }: z.infer<typeof TenureFile>): Tenure {
  return { id, fence, isRestored }
}

/** Creates an id that has never written; a folder with a number above 0 may be replaced by a backup. */
export function createTenure(fence: number): Tenure {
  return { id: randomUUID(), fence }
}

/** Notes that an operator has restored these stores: the next writer here continues them. */
export function noteRestored(paths: TenurePaths): void {
  writeTenure(paths, { ...readTenure(paths), isRestored: true })
}

/** Replaces the file, which contains the number of its own inode. */
export function writeTenure(
  { tenure: file }: TenurePaths,
  { id, fence, isRestored }: Tenure,
): void {
  const fresh = `${file}.new`
  rmSync(fresh, { force: true })
  writeFileSync(fresh, '')
  const content = { id, fence, inode: findInode(fresh), is_restored: isRestored }
  writeFileSync(fresh, `${JSON.stringify(content)}\n`)
  syncPath(fresh)
  renameSync(fresh, file)
  syncPath(dirname(file))
}

function findInode(file: string): string | undefined {
  return statSync(file, { bigint: true, throwIfNoEntry: false })?.ino.toString()
}
