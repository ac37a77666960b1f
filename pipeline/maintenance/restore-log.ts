import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { replaceFile, replaceFolder, syncPath } from '../store/durable-files.ts'
import type { Paths } from '../store/paths.ts'
import { LOG_IN_BACKUP } from '../transparency/copy-log.ts'
import { LogFolder } from '../transparency/log-folder.ts'
import { parseHead, type TreeHead } from '../transparency/tree-head.ts'
import { checkContinued } from '../transparency/verify-log.ts'
import { checkFile, isOfLog, type Manifest } from '../writer/copy-stores.ts'

const PRIVATE_FILE = 0o600

type LogPaths = Pick<Paths, 'log' | 'logHead'>

/**
 * Tells whether a restore uses the log of a backup. It does not if this folder has signed more events, or
 * another log, since others may know that head and it must not be replaced by an earlier one. Rejects if the
 * backup's log does not continue the one that was signed here.
 */
export async function hasLogToBring(paths: LogPaths, dir: string): Promise<boolean> {
  const brought = readHead(join(dir, LOG_IN_BACKUP.head))
  if (brought === undefined) return false
  if (!existsSync(paths.logHead)) return true
  const known = readHead(paths.logHead)
  if (known === undefined || known.origin !== brought.origin || known.size > brought.size)
    return false
  const { readTile } = new LogFolder(join(dir, LOG_IN_BACKUP.folder))
  const faults = await checkContinued(known, brought, readTile)
  if (faults.length === 0) return true
  throw new Error(`the backup’s log does not continue the one of this folder: ${faults.join('; ')}`)
}

/** Copies the log of a backup next to its place, and verifies the copy. */
export async function copyLogBeside(
  paths: LogPaths,
  dir: string,
  manifest: Manifest,
): Promise<void> {
  rmSync(getFresh(paths), { recursive: true, force: true })
  for (const listed of manifest.files.filter(({ name }) => isOfLog(name))) {
    const fresh = join(getFresh(paths), listed.name)
    mkdirSync(dirname(fresh), { recursive: true })
    copyFileSync(join(dir, listed.name), fresh)
    syncPath(fresh)
    await checkFile(fresh, listed)
  }
}

/** Puts the copy in place: the tree before its head, so that an interrupted restore is repeated whole. */
export function putLogInPlace(paths: LogPaths): void {
  const fresh = getFresh(paths)
  const note = readFileSync(join(fresh, LOG_IN_BACKUP.head))
  const folder = join(fresh, LOG_IN_BACKUP.folder)
  if (existsSync(folder)) replaceFolder(folder, paths.log)
  replaceFile(paths.logHead, note, PRIVATE_FILE)
  rmSync(fresh, { recursive: true, force: true })
}

/** Describes where the log of a restored registry continues; undefined if it has none. */
export function describeLogHead(
  { dir, logHead }: Pick<Paths, 'dir' | 'logHead'>,
  backup: string,
): string | undefined {
  const head = readHead(logHead)
  if (head === undefined) return undefined
  const theirs = readHead(join(backup, LOG_IN_BACKUP.head))
  if (theirs !== undefined && theirs.origin !== head.origin)
    return (
      `${dir} keeps its own log of events, ${head.origin}, and not that of the backup, ${theirs.origin}. To continue that of the ` +
      'backup, move log/ and accounts/log-head away and restore again'
    )
  return (
    `The log ${head.origin} continues after event ${head.size}. If anybody may have seen a longer one, do not start, ` +
    'and read docs/operate/incidents.md, “The restored log is older than what others have seen”'
  )
}

function getFresh({ log }: LogPaths): string {
  return `${log}.restored`
}

function readHead(file: string): TreeHead | undefined {
  return existsSync(file) ? parseHead(readFileSync(file, 'utf8')) : undefined
}
