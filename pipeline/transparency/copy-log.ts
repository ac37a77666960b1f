import { existsSync, lstatSync, readdirSync } from 'node:fs'
import { cp } from 'node:fs/promises'
import { join, relative } from 'node:path'
import type { Paths } from '../store/paths.ts'

/** Names in a backup: the folder of the log, and the head that was signed last. */
export const LOG_IN_BACKUP = { folder: 'log', head: 'log-head' } as const

/**
 * Copies the log and its last signed head to a folder; the key that signs is never copied. Nothing may be
 * appended meanwhile. Copies nothing where no head was signed yet.
 */
export async function copyLog(
  { log, logHead }: Pick<Paths, 'log' | 'logHead'>,
  to: string,
): Promise<void> {
  if (!existsSync(logHead)) return
  if (existsSync(log))
    await cp(log, join(to, LOG_IN_BACKUP.folder), {
      recursive: true,
      // A file that is being written has this name.
      filter: from => lstatSync(from).isDirectory() || !from.endsWith('.new'),
    })
  await cp(logHead, join(to, LOG_IN_BACKUP.head))
}

/** Lists the files of the log in a backup, by their path in it; empty where it has none. */
export function listLogFiles(dir: string): string[] {
  const { folder, head } = LOG_IN_BACKUP
  if (!existsSync(join(dir, head))) return []
  const files = existsSync(join(dir, folder))
    ? readdirSync(join(dir, folder), { recursive: true, withFileTypes: true })
        .filter(entry => entry.isFile())
        .map(entry => relative(dir, join(entry.parentPath, entry.name)))
    : []
  return [head, ...files.sort()]
}
