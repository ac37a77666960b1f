import { existsSync } from 'node:fs'
import { Fatal } from '../core/errors.ts'
import type { Log } from '../core/log.ts'
import { Lease } from '../store/lease.ts'
import { makeFolders, type Paths, resolvePaths } from '../store/paths.ts'
import { Seals } from '../store/seals.ts'
import { closeFacts, type Facts, openFacts } from './healing/facts.ts'

/** The stores of one folder, open for their only writer. */
export interface WriterStores extends Facts {
  paths: Paths
  lease: Lease
  seals: Seals
}

/** Opens the stores of a folder; undefined while another process writes. Nothing is left open when it fails. */
export async function openStores(dataDir: string, log: Log): Promise<WriterStores | undefined> {
  const paths = resolvePaths(dataDir)
  makeFolders(paths)
  const lease = await Lease.take(paths.lease, { paths, log })
  if (lease === undefined) return undefined
  try {
    if (existsSync(paths.restoring)) {
      throw new Fatal('a restore was not finished: run it again with --force')
    }
    const facts = await openFacts(paths, log)
    try {
      return { paths, lease, seals: Seals.open(paths), ...facts }
    } catch (error) {
      facts.accounts.close()
      throw error
    }
  } catch (error) {
    lease.release()
    throw error
  }
}

export function closeStores({ paths, lease, seals, ...facts }: WriterStores): void {
  try {
    closeFacts(paths, facts, seals)
  } finally {
    lease.release()
  }
}
