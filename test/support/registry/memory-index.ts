import type { Clock } from '../../../pipeline/core/clock.ts'
import { DAY, HOUR, type Instant } from '../../../pipeline/core/clock.ts'
import { findLastTime } from '../../../pipeline/core/schedule.ts'
import { RisingIds } from '../../../pipeline/core/uuid-v7.ts'
import { WindowCounter } from '../../../pipeline/core/window-counter.ts'
import type { EventDraft, FeedEvent } from '../../../pipeline/model/event.ts'
import type { Observation } from '../../../pipeline/model/observation.ts'
import type { BrakeLimits } from '../../../pipeline/resolve/brake.ts'
import type { Database as Columnar } from '../../../pipeline/store/columnar/duckdb.ts'
import { Database } from '../../../pipeline/store/database.ts'
import { declareTables } from '../../../pipeline/store/record.ts'
import { Sqlite } from '../../../pipeline/store/sqlite.ts'
import { listTables, readTableFile } from '../../../pipeline/store/table-files.ts'
import { apply } from '../../../pipeline/writer/apply-batch.ts'
import type { ApplyContext, Batch } from '../../../pipeline/writer/apply-context.ts'
import { UnfinishedAnswers } from '../../../pipeline/writer/entities/publisher-portions.ts'
import { nothingTakenDown } from '../../../pipeline/writer/takedown/takedown-list.ts'
import { deriveEverything } from '../checks/derive-everything.ts'
import { publishToMemory } from './published-tables.ts'

/**
 * An index in memory to which batches are applied as the sequencer does: real tables, no files. An observation
 * without `after_seq` counts as handed out after the last commit.
 */
export interface MemoryIndex {
  db: Database
  /** The private rows. */
  accounts: Sqlite
  /** Number of the last commit. */
  readonly seq: number
  /** Makes the columnar index as analysts read it. */
  publish(): Promise<Columnar>
  /** Applies a batch, and what it leaves unfinished, and returns the events. */
  commit(batch: readonly Observation[] | Partial<Batch>): Promise<FeedEvent[]>
  /** Derives everything again from the documents and the crawl state that are there. */
  deriveEverything(): Promise<EventDraft[]>
  /** Deletes all rows, which is faster than to open another index. */
  clear(): Promise<void>
  close(): void
}

/** Settings that a test may choose; the others are those of a sequencer, or out of the way. */
export interface IndexOptions {
  nextRun?: (now: Instant) => Instant
  brake?: BrakeLimits
  /** Base URL of the files that the registry hosts. */
  hostingBase?: string
  /** Rows of publishers that one commit may apply; by default all. */
  portionRows?: number
  /** Names that the frontier holds. */
  frontierMax?: number
}

/** Opens an empty index; `nextRun` tells when the nightly run after a time is. */
export async function openMemoryIndex(
  clock: Clock,
  {
    nextRun = now => now + DAY,
    brake = { share: 0.02, factor: 5, rows: 200, publishers: 20 },
    hostingBase,
    portionRows,
    frontierMax = 1e6,
  }: IndexOptions = {},
): Promise<MemoryIndex> {
  const accounts = Sqlite.open(':memory:')
  declareTables(accounts)
  const db = new Database(accounts)
  const ids = new RisingIds(clock)
  let seq = 0
  const newNames = new WindowCounter(HOUR)
  const unfinishedAnswers = new UnfinishedAnswers()
  const buildContext = (): ApplyContext => {
    const now = clock.now()
    const stamp = { now, seq: ++seq, ids, mint: () => ids.next(), nextRun: nextRun(now) }
    const night = findLastTime('0 3 * * *', now)
    return {
      ...stamp,
      soonestMs: 6 * HOUR,
      frontierMax,
      accounts,
      agentsPerSite: 500,
      agentsPerDocumentHour: 500,
      namesPerDocumentHour: 500,
      namesPerSiteHour: 300,
      newNames,
      unfinishedAnswers,
      night,
      brake,
      takenDown: nothingTakenDown,
      hostingBase,
      portionRows,
    }
  }
  // An observation that is delivered a second time was handed out before its first delivery.
  const handedOut = new WeakMap<Observation, number>()
  const findAfterSeq = (observation: Observation) => {
    if (!handedOut.has(observation)) handedOut.set(observation, seq)
    return handedOut.get(observation)!
  }
  return {
    db,
    accounts,
    get seq() {
      return seq
    },
    async commit(batch) {
      const { observations = [], ...rest } = 'length' in batch ? { observations: batch } : batch
      const dated = observations.map(observation => ({
        after_seq: findAfterSeq(observation),
        ...observation,
      }))
      const whole = { submissions: [], ...rest, observations: dated }
      const applyBatch = (part: Batch) => db.transaction(() => apply(db, part, buildContext()))
      let { events, unfinished } = await applyBatch(whole)
      while (unfinished > 0) {
        const more = await applyBatch({ observations: [], submissions: [] })
        events = [...events, ...more.events]
        unfinished = more.unfinished
      }
      return events
    },
    deriveEverything: () => db.transaction(() => deriveEverything(db, buildContext())),
    publish: () => publishToMemory(accounts),
    async clear() {
      for (const name of listTables('tables')) {
        if (name !== 'meta') await db.run(`delete from ${readTableFile('tables', name).storedAs}`)
      }
      accounts.run('delete from stranger_items')
    },
    close() {
      db.close()
    },
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
