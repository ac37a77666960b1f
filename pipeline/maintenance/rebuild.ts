import { rmSync } from 'node:fs'
import { readLastEvent } from '../store/event-log.ts'
import { Lease } from '../store/lease.ts'
import { makeFolders, type Paths, resolvePaths } from '../store/paths.ts'
import type { Unprojected } from '../store/unprojected.ts'
import {
  closeFacts,
  type Facts,
  findLostCommits,
  openFacts,
  refuseOlderIndex,
} from '../writer/healing/facts.ts'
import { makeDerived } from '../writer/healing/make-derived.ts'

/** Result of a rebuild. */
export interface Rebuilt {
  /** Subjects without an answer, since none can be built from their rows. */
  unprojected: Unprojected[]
}

/**
 * Rebuilds the serving store and the event files from the index, beside the old ones, and replaces these at
 * the end. Undefined if another process holds the lease; throws where the index has lost commits.
 */
export async function rebuild(dataDir: string): Promise<Rebuilt | undefined> {
  const paths = resolvePaths(dataDir)
  makeFolders(paths)
  const lease = await Lease.take(paths.lease)
  if (lease === undefined) return undefined
  try {
    return await rebuildStores(paths, facts => assertNothingLost(paths, facts))
  } finally {
    lease.release()
  }
}

/** Throws where the record lacks commits that were shown: a rebuild would have nobody notice. */
async function assertNothingLost(paths: Paths, facts: Facts): Promise<void> {
  const lost = await findLostCommits(paths, facts, { seq: 0, lastEvent: readLastEvent(paths) })
  if (lost !== undefined) refuseOlderIndex(paths, lost)
}

/** Rebuilds the stores for a caller who holds the lease; `before` may change the index first. */
export async function rebuildStores(
  paths: Paths,
  before: (facts: Facts) => Promise<void> = async () => undefined,
): Promise<Rebuilt> {
  const facts = await openFacts(paths)
  try {
    await before(facts)
    const unprojected = await makeDerived(paths, facts)
    for (const leftover of [paths.seals, paths.damaged]) {
      rmSync(leftover, { recursive: true, force: true })
    }
    return { unprojected }
  } finally {
    closeFacts(paths, facts)
  }
}
