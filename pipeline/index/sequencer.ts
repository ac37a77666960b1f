import { existsSync } from 'node:fs'
import type { Clock } from '../core/clock.ts'
import { isoOf } from '../core/clock.ts'
import type { Config } from '../core/config.ts'
import { Fatal } from '../core/errors.ts'
import type { Log } from '../core/log.ts'
import type { Answer } from '../model/submission.ts'
import { Accounts } from './accounts.ts'
import type { Batch } from './apply.ts'
import { beginBackup, copyStores, finishBackup, type Manifest } from './backup.ts'
import { Committer, type Kept } from './committer.ts'
import { Database } from './duckdb.ts'
import { unknownEnrolments } from './enrolments.ts'
import { erase } from './erase.ts'
import { commitInHalves } from './halves.ts'
import { commitInOrder } from './in-order.ts'
import { Lease } from './lease.ts'
import { type Meta, raiseFence } from './meta.ts'
import { makeFolders, type Paths, pathsOf } from './paths.ts'
import { forgetPrivateRows } from './private-retention.ts'
import { Projector } from './projector.ts'
import { Publishing } from './publishing.ts'
import { dropOldBodies, dropOldEvents, followRetention } from './retention.ts'
import { ServingStore } from './serving.ts'
import { createTables } from './tables.ts'
import { TakedownList } from './takedown-list.ts'
import { type Waiting, WriterTurns } from './writer-turns.ts'

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

/**
 * The single writer. A commit goes through the steps above in that order, and each leaves something
 * that the next can be made from:
 *
 * | a crash after | leaves behind                         | recover() then        |
 * |---------------|---------------------------------------|-----------------------|
 * | accounts      | an account change without public row  | the job comes again   |
 * | index         | rows that readers do not see          | serving, events       |
 * | serving       | an event file that is behind          | events                |
 * | events        | a snapshot that is behind             | the next publish()    |
 * | snapshot      | an old checkpoint                     | the next publish()    |
 *
 * recover() calls the same functions, so there is no repair path that only runs on bad days.
 */
export class Sequencer {
  readonly paths: Paths
  readonly index: Database
  readonly accounts: Accounts
  readonly serving: ServingStore
  readonly #lease: Lease
  readonly #projector: Projector
  readonly #takedowns: TakedownList
  readonly #publishing: Publishing
  readonly #options: SequencerOptions
  readonly #committer: Committer
  readonly #meta: Meta
  readonly #turns = new WriterTurns()
  #broken: Fatal | undefined

  private constructor(parts: {
    paths: Paths
    lease: Lease
    index: Database
    accounts: Accounts
    takedowns: TakedownList
    meta: Meta
    options: SequencerOptions
  }) {
    this.paths = parts.paths
    this.#lease = parts.lease
    this.index = parts.index
    this.accounts = parts.accounts
    this.#takedowns = parts.takedowns
    this.#meta = parts.meta
    this.#options = parts.options
    this.serving = ServingStore.open(parts.paths.servingFile)
    this.#projector = new Projector({
      ...{ ...parts, ...parts.options, serving: this.serving },
      step: (step, work) => this.#step(step, work),
    })
    this.#committer = new Committer({
      ...{ ...parts, ...parts.options },
      read: seq => this.#projector.read(seq),
    })
    this.#publishing = new Publishing({
      ...parts,
      ...parts.options,
      snapshotsKept: parts.options.config.LIMITS.snapshotsKept,
      last: () => this.#meta,
      alone: work => this.#alone(work),
      step: (step, work) => this.#step(step, work),
    })
  }

  /** Undefined while another process writes. What a crash left half done is done when it returns. */
  static async open(options: SequencerOptions): Promise<Sequencer | undefined> {
    const paths = pathsOf(options.config.DATA_DIR)
    makeFolders(paths)
    const lease = await Lease.take(paths.lease)
    if (lease === undefined) return undefined
    if (existsSync(paths.restoring)) {
      lease.release()
      throw new Fatal('a restore was not finished: run it again with --force')
    }
    const index = await Database.open(paths.index, { memoryLimit: '512MB' })
    await createTables(index, 'tables')
    const accounts = await Accounts.open(paths.accounts)
    const takedowns = await TakedownList.open(accounts.db)
    const meta = await raiseFence(index)
    const sequencer = new Sequencer({ paths, lease, index, accounts, takedowns, meta, options })
    await sequencer.#projector.recover(meta)
    options.log.info({ seq: meta.seq, fence: meta.fence }, 'recovered')
    await sequencer.#catchUp()
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
   * Commits a batch when its turn has come; one that brings observations is no person's. An observation
   * that cannot be taken in is found by halving the batch and set aside; it stops nobody.
   */
  commit(batch: Batch): Promise<Committed> {
    const isForPeople = batch.submissions.length > 0 && batch.observations.length === 0
    const inHalves = (part: Batch) => commitInHalves(part, half => this.#commit(half))
    const work = () => commitInOrder(batch, inHalves)
    return this.#alone(work, isForPeople ? 'people' : 'others')
  }

  /** Commits what time alone changed, if anything. */
  async tick(): Promise<Committed | undefined> {
    const due = await this.#alone(() =>
      this.index.one(
        `select 1 from (select turns_at as at_time from crawl_state union all select wakes_at from wakes)
         where at_time <= $now::timestamptz limit 1`,
        { now: isoOf(this.#options.clock.now()) },
      ),
    )
    return due === undefined
      ? undefined
      : this.commit({ observations: [], submissions: [], actor: 'pipeline:tick' })
  }

  /** Publishes what was committed since the last snapshot; returns how long the copy took in ms. */
  publish(): Promise<number> {
    return this.#publishing.publish()
  }

  /** Resolves when search shows what was published last; nothing else waits for that. */
  searchable(): Promise<void> {
    return this.#publishing.searchable()
  }

  /** Lets go of what nobody looks up any more: events beyond the feed's reach, old bytes, who asked for what long ago. */
  retain(): Promise<void> {
    const { clock, config } = this.#options
    return this.#alone(async () => {
      await dropOldEvents(this.index, clock.now(), config.LIMITS.feedRetentionDays)
      await followRetention(this.index, this.serving, this.paths)
      await dropOldBodies(this.index, this.paths, clock.now())
      const { index, serving } = this
      const stores = { index, serving, accounts: this.accounts.db }
      await forgetPrivateRows(stores, clock.now(), config.LIMITS)
    })
  }

  /** Copies the stores that nothing else can be made of to a folder, as of one commit. */
  async backUp(dir: string): Promise<Manifest> {
    const partial = beginBackup(dir)
    const made = await this.#alone(async () => {
      await copyStores(this, partial)
      return { seq: this.#meta.seq, made_at: isoOf(this.#options.clock.now()) }
    })
    return finishBackup(partial, dir, made)
  }

  /** Runs work that reads the stores while nobody commits. */
  quietly<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#alone(work)
  }

  async close(): Promise<void> {
    await this.#publishing.close()
    await this.#turns.settled()
    await this.serving.close()
    this.index.close()
    this.accounts.close()
    this.#lease.release()
  }

  async #commit(asked: Batch): Promise<Committed> {
    const started = performance.now()
    const usedBefore = process.cpuUsage()
    const now = this.#options.clock.now()
    const kept = await this.#committer.commit(asked, now)
    const { seq, batch, events, held } = kept
    await this.#project(kept).catch(error => this.#break(error))
    const { takedowns = [] } = batch
    if (takedowns.length > 0) {
      await erase(this, takedowns, now).catch(error => this.#break(error))
    }
    const { user, system } = process.cpuUsage(usedBefore)
    const ms = Math.round(performance.now() - started)
    const cpuMs = Math.round((user + system) / 1_000)
    this.#tell(asked, { seq, events: events.length, ms, cpu_ms: cpuMs })
    if (held.publishers > 0) {
      this.#options.log.error({ seq, ...held }, 'too much at once: held back; see `held list`')
    }
    return { seq, events: events.length, answers: await this.#committer.answersOf(kept) }
  }

  async #project({ seq, projection }: Kept): Promise<void> {
    await this.#projector.write(projection ?? (await this.#projector.read(seq)))
  }

  #tell(batch: Batch, commit: { seq: number; events: number; ms: number; cpu_ms: number }): void {
    const { log } = this.#options
    const { observations, submissions, poison = [] } = batch
    const changed = observations.filter(({ outcome }) => outcome === 'ok').length
    log.info(
      { ...commit, observations: observations.length, changed, submissions: submissions.length },
      'committed',
    )
    for (const { seen, reason } of poison) {
      log.error({ kind: seen.kind, location: seen.location, reason }, 'observation set aside')
    }
  }

  /** The index has a commit that the other stores have not; a later one would leave a gap there. */
  #break(cause: unknown): never {
    this.#broken = new Fatal('a commit was not projected: start again', { cause })
    throw this.#broken
  }

  /**
   * A crash between the accounts and the index leaves the index with what members showed before.
   * The submission comes again as a rule; but an agent that was hidden may not wait for that.
   */
  async #catchUp(): Promise<void> {
    const enrolments = await unknownEnrolments(this.index, await this.accounts.allEnrolments())
    const takedowns = this.#takedowns.uncleared
    if (enrolments.length > 0 || takedowns.length > 0) {
      const batch = { observations: [], submissions: [], enrolments, takedowns }
      await this.commit({ ...batch, actor: 'pipeline:tick' })
    }
  }

  async #step<Result>(step: Step, work: () => Result | Promise<Result>): Promise<Result> {
    this.#options.onStep?.(step, 'before')
    const result = await work()
    this.#options.onStep?.(step, 'after')
    return result
  }

  #alone<Result>(work: () => Promise<Result>, who: Waiting = 'others'): Promise<Result> {
    return this.#turns.take(who, async () => {
      if (this.#broken) throw this.#broken
      return work()
    })
  }
}
