import { mkdirSync } from 'node:fs'
import { CronExpressionParser } from 'cron-parser'
import type { Clock } from '../core/clock.ts'
import { isoOf } from '../core/clock.ts'
import type { Config } from '../core/config.ts'
import { Fatal } from '../core/errors.ts'
import type { Log } from '../core/log.ts'
import { RisingIds } from '../core/uuid-v7.ts'
import type { FeedEvent } from '../model/event.ts'
import type { Answer } from '../model/submission.ts'
import { Accounts } from './accounts.ts'
import { apply, type Batch } from './apply.ts'
import { keepBody } from './documents.ts'
import { Database } from './duckdb.ts'
import { EventFile } from './event-file.ts'
import { Lease } from './lease.ts'
import { type Paths, pathsOf } from './paths.ts'
import { entriesOf, eventsFollowing, scopeAfter } from './projection.ts'
import { SERVING_FORMAT, ServingStore } from './serving.ts'
import { advance, linkCurrent, pruneSnapshots, readCheckpoint, takeSnapshot } from './snapshot.ts'
import { createTables, INDEX_FORMAT } from './tables.ts'

/** The numbered steps of a commit, in their order. */
export const steps = ['accounts', 'index', 'serving', 'events', 'snapshot', 'checkpoint'] as const
export type Step = (typeof steps)[number]

export interface SequencerOptions {
  config: Config
  clock: Clock
  log: Log
  /** Called before a step and when it is on disk; tests stop the process there. */
  onStep?: (step: Step, moment: 'before' | 'after') => void
}

export interface Committed {
  seq: number
  events: number
  answers: Map<string, Answer>
}

interface Meta {
  format: number
  fence: number
  seq: number
  last_event_id: string | null
}

/** Changed keys are needed until they are projected; a little longer helps a person who looks. */
const CHANGES_KEPT = 100

/**
 * The single writer. A commit goes through the steps above in that order, and each leaves something
 * that the next can be made from:
 *
 * | a crash after | leaves behind                         | recover() then        |
 * |---------------|---------------------------------------|-----------------------|
 * | accounts      | an account change without public row  | the job comes again   |
 * | index         | rows that readers do not see          | serving to checkpoint |
 * | serving       | an event file that is behind          | events to checkpoint  |
 * | events        | a snapshot that is behind             | snapshot, checkpoint  |
 * | snapshot      | an old checkpoint                     | checkpoint            |
 *
 * recover() calls the same functions, so there is no repair path that only runs on bad days.
 */
export class Sequencer {
  readonly paths: Paths
  readonly index: Database
  readonly accounts: Accounts
  readonly serving: ServingStore
  readonly #lease: Lease
  readonly #events: EventFile
  readonly #options: SequencerOptions
  readonly #ids: RisingIds
  readonly #meta: Meta
  #turn: Promise<unknown> = Promise.resolve()
  #broken: Fatal | undefined

  private constructor(parts: {
    paths: Paths
    lease: Lease
    index: Database
    accounts: Accounts
    meta: Meta
    options: SequencerOptions
  }) {
    this.paths = parts.paths
    this.#lease = parts.lease
    this.index = parts.index
    this.accounts = parts.accounts
    this.#meta = parts.meta
    this.#options = parts.options
    this.serving = ServingStore.open(parts.paths.servingFile)
    this.#events = new EventFile(parts.paths)
    this.#ids = new RisingIds(parts.options.clock, parts.meta.last_event_id ?? undefined)
  }

  /** Undefined while another process writes. What a crash left half done is done when it returns. */
  static async open(options: SequencerOptions): Promise<Sequencer | undefined> {
    const paths = pathsOf(options.config.DATA_DIR)
    mkdirSync(paths.dir, { recursive: true })
    const lease = await Lease.take(paths.lease)
    if (lease === undefined) return undefined
    const index = await Database.open(paths.index, { memoryLimit: '768MB' })
    await createTables(index, 'tables')
    const accounts = await Accounts.open(paths.accounts)
    const meta = await raiseFence(index)
    const sequencer = new Sequencer({ paths, lease, index, accounts, meta, options })
    await sequencer.#recover()
    return sequencer
  }

  /** Number of the last commit. */
  get seq(): number {
    return this.#meta.seq
  }

  get lastEventId(): string | undefined {
    return this.#meta.last_event_id ?? undefined
  }

  /**
   * Commits a batch after those that were asked for before it. An observation that cannot be taken
   * in is found by halving the batch and set aside; it stops nobody.
   */
  commit(batch: Batch): Promise<Committed> {
    return this.#alone(() => this.#commitAll(batch))
  }

  /** Commits what time alone changed, if anything. */
  async tick(): Promise<Committed | undefined> {
    const due = await this.#alone(() =>
      this.index.one('select 1 from crawl_state where turns_at <= $now::timestamptz limit 1', {
        now: isoOf(this.#options.clock.now()),
      }),
    )
    return due === undefined
      ? undefined
      : this.commit({ observations: [], submissions: [], actor: 'pipeline:tick' })
  }

  /** Publishes what was committed since the last snapshot; returns how long the copy took in ms. */
  publish(): Promise<number> {
    return this.#alone(async () => {
      const checkpoint = readCheckpoint(this.paths)
      if (this.#meta.seq === (checkpoint?.seq ?? 0)) return 0
      const started = performance.now()
      const snapshot = await this.#step('snapshot', () => takeSnapshot(this.index, this.paths))
      const ms = performance.now() - started
      await this.#step('checkpoint', () => this.#advance(snapshot))
      this.#options.log.info({ seq: this.#meta.seq, snapshot, ms: Math.round(ms) }, 'published')
      return ms
    })
  }

  /** Runs work that reads the stores while nobody commits. */
  quietly<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#alone(work)
  }

  async close(): Promise<void> {
    await this.#turn
    await this.serving.close()
    this.index.close()
    this.accounts.close()
    this.#lease.release()
  }

  async #commitAll(batch: Batch): Promise<Committed> {
    try {
      return await this.#commit(batch)
    } catch (error) {
      const { observations } = batch
      if (observations.length === 0 || !isPoison(error)) throw error
      if (observations.length === 1) return this.#setAside(batch, error)
      const middle = observations.length >> 1
      const first = await this.#commitAll({ ...batch, observations: observations.slice(0, middle) })
      const rest = { ...batch, observations: observations.slice(middle), submissions: [] }
      const second = await this.#commitAll(rest)
      return { ...second, events: first.events + second.events, answers: first.answers }
    }
  }

  /** Commits the batch with the failing observation in quarantine instead of in the index. */
  #setAside(batch: Batch, error: Error): Promise<Committed> {
    const poison = batch.observations.map(seen => ({ seen, reason: error.message.slice(0, 500) }))
    const { kind, location } = batch.observations[0]!
    this.#options.log.error({ kind, location, error: error.message }, 'observation set aside')
    return this.#commit({ ...batch, observations: [], poison })
  }

  async #commit(batch: Batch): Promise<Committed> {
    const started = performance.now()
    const now = this.#options.clock.now()
    const seq = this.#meta.seq + 1
    const answers = await this.#answer(batch, { now, seq })
    for (const { body, hash } of batch.observations) {
      if (body && hash) keepBody(this.paths, hash, body)
    }
    const events = await this.#step('index', () => this.#apply(batch, now, seq))
    this.#meta.seq = seq
    this.#meta.last_event_id = events.at(-1)?.event_id ?? this.#meta.last_event_id
    await this.#project().catch(error => this.#break(error))
    this.#options.log.info(
      {
        seq,
        observations: batch.observations.length,
        submissions: batch.submissions.length,
        events: events.length,
        ms: Math.round(performance.now() - started),
      },
      'committed',
    )
    return { seq, events: events.length, answers }
  }

  #apply(batch: Batch, now: number, seq: number): Promise<FeedEvent[]> {
    const { CRAWL_SCHEDULE, FRONTIER_MAX } = this.#options.config
    return this.index.transaction(async () => {
      const events = await apply(this.index, batch, {
        now,
        seq,
        ids: this.#ids,
        mint: () => this.#ids.next(),
        nextRun: nextRun(CRAWL_SCHEDULE, now),
        frontierMax: FRONTIER_MAX,
      })
      await this.#number(seq, now, events.at(-1)?.event_id)
      return events
    })
  }

  async #answer(batch: Batch, stamp: { now: number; seq: number }) {
    if (batch.submissions.length === 0) return new Map<string, Answer>()
    return this.#step('accounts', () => this.accounts.apply(batch.submissions, stamp))
  }

  /** Numbers the commit inside its transaction; another writer's fence makes it fail. */
  async #number(seq: number, now: number, lastEventId: string | undefined): Promise<void> {
    const numbered = await this.index.run(
      `update meta set seq = $seq, committed_at = $now::timestamptz,
         last_event_id = coalesce($last::uuid, last_event_id)
       where fence = $fence and seq = $seq - 1`,
      { seq, now: isoOf(now), last: lastEventId ?? null, fence: this.#meta.fence },
    )
    if (numbered !== 1) throw new Fatal('another writer has taken over the index')
  }

  /** Brings the serving store and the event file up to the index: steps 2 and 3 of any commit. */
  async #project(): Promise<void> {
    const scope = scopeAfter(this.serving.seq)
    const { entries, events } = await entriesOf(this.index, this.accounts, scope)
    await this.#step('serving', () => this.serving.write(entries, this.#meta.seq))
    await this.#step('events', () => this.#events.append(events))
    if (this.#meta.seq % CHANGES_KEPT === 0) {
      await this.index.run('delete from changes where seq <= $seq', {
        seq: this.#meta.seq - CHANGES_KEPT,
      })
    }
  }

  /** The index has a commit that the other stores have not; a later one would leave a gap there. */
  #break(cause: unknown): never {
    this.#broken = new Fatal('a commit was not projected: start again', { cause })
    throw this.#broken
  }

  async #recover(): Promise<void> {
    const { log } = this.#options
    const { seq } = this.#meta
    const checkpoint = readCheckpoint(this.paths)
    if (this.serving.seq > seq || (checkpoint?.seq ?? 0) > seq) {
      throw new Fatal('the index is older than what was made from it: restore it, or run rebuild')
    }
    if (seq - this.serving.seq > CHANGES_KEPT || (this.serving.seq === 0 && seq > 1)) {
      throw new Fatal('the serving store is empty or too old: run rebuild')
    }
    if (this.serving.format !== undefined && this.serving.format !== SERVING_FORMAT) {
      throw new Fatal('the serving store has another format: run rebuild')
    }
    await this.#project()
    this.#events.append(await eventsFollowing(this.index, this.#events.last))
    if (checkpoint) linkCurrent(this.paths, checkpoint.snapshot)
    log.info({ seq, fence: this.#meta.fence }, 'recovered')
  }

  async #advance(snapshot: string): Promise<void> {
    await advance(this.paths, {
      seq: this.#meta.seq,
      snapshot,
      last_event_id: this.#meta.last_event_id,
    })
    pruneSnapshots(this.paths, this.#options.config.LIMITS.snapshotsKept)
  }

  async #step<Result>(step: Step, work: () => Result | Promise<Result>): Promise<Result> {
    this.#options.onStep?.(step, 'before')
    const result = await work()
    this.#options.onStep?.(step, 'after')
    return result
  }

  #alone<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.#turn.then(() => {
      if (this.#broken) throw this.#broken
      return work()
    })
    this.#turn = turn.catch(() => undefined)
    return turn
  }
}

/** Whether what was committed is at fault, rather than the disk, the memory or another writer. */
function isPoison(error: unknown): error is Error {
  return (
    error instanceof Error &&
    !(error instanceof Fatal) &&
    !('errno' in error) &&
    !/^(IO|Out of Memory|INTERNAL|FATAL|Connection|TransactionContext) Error/i.test(error.message)
  )
}

/** Takes the next fencing number: whoever held an older one can commit no more. */
async function raiseFence(index: Database): Promise<Meta> {
  return index.transaction(async () => {
    await index.run(
      `insert into meta select $format, 0, 0, null, null where not exists (from meta)`,
      { format: INDEX_FORMAT },
    )
    await index.run('update meta set fence = fence + 1')
    const meta = await index.one<Meta>('select format, fence, seq, last_event_id from meta')
    if (meta?.format !== INDEX_FORMAT) {
      throw new Fatal(`index.duckdb has format ${meta?.format}; this version reads ${INDEX_FORMAT}`)
    }
    return meta
  })
}

/** When files that were just read are due again. */
function nextRun(schedule: string, now: number): number {
  return CronExpressionParser.parse(schedule, { tz: 'UTC', currentDate: new Date(now) })
    .next()
    .getTime()
}
