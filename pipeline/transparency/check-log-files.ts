import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Paths } from '../store/paths.ts'
import { HEAD, KEY } from './tile-names.ts'
import { verifyLog } from './verify-log.ts'

/** Pointer to what an operator does about a damaged log. */
export const LOG_ADVICE = 'See docs/operate/incidents.md, “The log of events is damaged”'
/** Pointer to what an operator does about a log that is not the one that others have seen, as after a restore. */
export const FORK_ADVICE =
  'See docs/operate/incidents.md, “The restored log is older than what others have seen”'

/**
 * Checks a log on this machine, or in a backup, from the head that was signed last down to every entry; returns one
 * sentence per fault, and none where no log was begun. Holds no more of it than a tile and its entries at a time.
 */
export async function checkLogFiles({
  log,
  logHead,
}: Pick<Paths, 'log' | 'logHead'>): Promise<string[]> {
  if (!existsSync(logHead)) return []
  // The published head follows the one that was signed last.
  const read = (name: string) =>
    readFile(name === HEAD ? logHead : join(log, name)).catch(() => undefined)
  const key = (await read(KEY))?.toString().trim()
  if (key === undefined) return [`${KEY} is missing`]
  try {
    return (await verifyLog({ read, key })).faults
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)]
  }
}
