import type { Clock } from '../../pipeline/core/clock.ts'
import { DAY, HOUR, type Instant } from '../../pipeline/core/clock.ts'
import { RisingIds } from '../../pipeline/core/uuid-v7.ts'
import { apply, type Batch } from '../../pipeline/index/apply.ts'
import { Database } from '../../pipeline/index/duckdb.ts'
import { createTables } from '../../pipeline/index/tables.ts'
import type { FeedEvent } from '../../pipeline/model/event.ts'
import type { Observation } from '../../pipeline/model/observation.ts'

/**
 * An index in memory that batches are applied to as the sequencer does: real tables, no files. Attempts
 * that do not say when they began did so after the commit before.
 */
export interface MemoryIndex {
  db: Database
  commit(batch: readonly Observation[] | Partial<Batch>): Promise<FeedEvent[]>
  close(): void
}

export async function openMemoryIndex(
  clock: Clock,
  nextRun = (now: Instant) => now + DAY,
): Promise<MemoryIndex> {
  const db = await Database.open(':memory:', { memoryLimit: '256MB', threads: 1 })
  await createTables(db, 'tables')
  const ids = new RisingIds(clock)
  let seq = 0
  return {
    db,
    commit(batch) {
      const now = clock.now()
      const stamp = { now, seq: ++seq, ids, mint: () => ids.next(), nextRun: nextRun(now) }
      const recrawling = { soonestMs: 6 * HOUR, frontierMax: 1e6, agentsPerHost: 500 }
      const { observations = [], ...rest } = 'length' in batch ? { observations: batch } : batch
      const begun = observations.map(seen => ({ after_seq: seq - 1, ...seen }))
      return db.transaction(() =>
        apply(db, { submissions: [], ...rest, observations: begun }, { ...stamp, ...recrawling }),
      )
    },
    close: () => db.close(),
  }
}

/** Runs `work` on an index of its own. */
export async function withIndex<Result>(
  clock: Clock,
  work: (index: MemoryIndex) => Promise<Result>,
  nextRun?: (now: Instant) => Instant,
): Promise<Result> {
  const index = await openMemoryIndex(clock, nextRun)
  try {
    return await work(index)
  } finally {
    index.close()
  }
}
