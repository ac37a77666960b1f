import type { Clock } from '../../pipeline/core/clock.ts'
import { DAY, HOUR, type Instant } from '../../pipeline/core/clock.ts'
import { lastTime } from '../../pipeline/core/schedule.ts'
import { RisingIds } from '../../pipeline/core/uuid-v7.ts'
import { apply, type Batch } from '../../pipeline/index/apply.ts'
import type { Applying } from '../../pipeline/index/applying.ts'
import { deriveEverything } from '../../pipeline/index/derive-everything.ts'
import { Database } from '../../pipeline/index/duckdb.ts'
import { createTables, tableNames } from '../../pipeline/index/tables.ts'
import { nothingTakenDown } from '../../pipeline/index/taken-down.ts'
import type { EventDraft, FeedEvent } from '../../pipeline/model/event.ts'
import type { Observation } from '../../pipeline/model/observation.ts'
import type { BrakeLimits } from '../../pipeline/resolve/brake.ts'

/**
 * An index in memory that batches are applied to as the sequencer does: real tables, no files. Attempts
 * that do not say when they began did so after the commit before.
 */
export interface MemoryIndex {
  db: Database
  commit(batch: readonly Observation[] | Partial<Batch>): Promise<FeedEvent[]>
  /** Derives everything again from the documents and the crawl state that are there. */
  deriveEverything(): Promise<EventDraft[]>
  /** Forgets everything: an index that was used is at hand sooner than a new one. */
  clear(): Promise<void>
  close(): void
}

/** What a sequencer takes from its settings, where a test wants it otherwise. */
export interface IndexOptions {
  nextRun?: (now: Instant) => Instant
  brake?: BrakeLimits
  /** Where the registry serves the files that it hosts. */
  hostingBase?: string
}

export async function openMemoryIndex(
  clock: Clock,
  {
    nextRun = now => now + DAY,
    brake = { share: 0.02, factor: 5, rows: 200, publishers: 20 },
    hostingBase,
  }: IndexOptions = {},
): Promise<MemoryIndex> {
  const db = await Database.open(':memory:', { memoryLimit: '256MB', threads: 1 })
  await createTables(db, 'tables')
  const ids = new RisingIds(clock)
  let seq = 0
  const next = (): Applying => {
    const now = clock.now()
    const stamp = { now, seq: ++seq, ids, mint: () => ids.next(), nextRun: nextRun(now) }
    const night = lastTime('0 3 * * *', now)
    return {
      ...stamp,
      soonestMs: 6 * HOUR,
      frontierMax: 1e6,
      agentsPerHost: 500,
      night,
      brake,
      takenDown: nothingTakenDown,
      hostingBase,
    }
  }
  /** What is delivered again was asked for before it was delivered first. */
  const asked = new WeakMap<Observation, number>()
  const askedAfter = (seen: Observation) => {
    if (!asked.has(seen)) asked.set(seen, seq)
    return asked.get(seen)!
  }
  return {
    db,
    commit(batch) {
      const { observations = [], ...rest } = 'length' in batch ? { observations: batch } : batch
      const begun = observations.map(seen => ({ after_seq: askedAfter(seen), ...seen }))
      const all = { submissions: [], ...rest, observations: begun }
      return db.transaction(async () => (await apply(db, all, next())).events)
    },
    deriveEverything: () => db.transaction(() => deriveEverything(db, next())),
    async clear() {
      for (const table of tableNames('tables')) await db.run(`delete from ${table}`)
    },
    close: () => db.close(),
  }
}

/** Runs `work` on an index of its own. */
export async function withIndex<Result>(
  clock: Clock,
  work: (index: MemoryIndex) => Promise<Result>,
  options?: IndexOptions,
): Promise<Result> {
  const index = await openMemoryIndex(clock, options)
  try {
    return await work(index)
  } finally {
    index.close()
  }
}
