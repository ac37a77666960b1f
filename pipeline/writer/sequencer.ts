import { existsSync } from 'node:fs'
import type { Accounts } from '../accounts/store.ts'
import { type Clock, toDay, toIso } from '../core/clock.ts'
import type { Config } from '../core/config.ts'
import { Fatal } from '../core/errors.ts'
import type { Log } from '../core/log.ts'
import { toInstant } from '../core/uuid-v7.ts'
import type { Submission } from '../model/submission.ts'
import { ServingStore } from '../serving/lmdb.ts'
import type { Database } from '../store/duckdb.ts'
import { Lease } from '../store/lease.ts'
import { type Meta, raiseFence } from '../store/meta.ts'
import { exportParquet, isTooSoonToExport } from '../store/parquet.ts'
import { makeFolders, type Paths, resolvePaths } from '../store/paths.ts'
import { Seals } from '../store/seals.ts'
import type { Batch } from './apply-batch.ts'
import { type Committed, commitBisecting, commitSplitAtTakedowns } from './commit-in-parts.ts'
import { type CommitResult, Committer } from './committer.ts'
import { findUnknownEnrolments } from './community/enrolments.ts'
import { findUnrecorded } from './community/shown-properties.ts'
import { beginBackup, copyStores, finishBackup, type Manifest } from './copy-stores.ts'
import { failSubmission } from './failed-submissions.ts'
import { openFacts } from './healing/facts.ts'
import { healStores, listDerived, listFilesBelow } from './healing/heal.ts'
import { type Priority, PriorityQueue } from './priority-queue.ts'
import { forgetPrivateRows } from './private-retention.ts'
import { Projector } from './projector.ts'
import { Publishing } from './publishing.ts'
import { dropOldBodies, dropOldEvents, followRetention } from './retention.ts'
import { erase } from './takedown/erase-copies.ts'
import { TakedownList } from './takedown/takedown-list.ts'

/** The numbered steps of a commit, in their order. */
export const steps = ['accounts', 'index', 'serving', 'events', 'snapshot', 'checkpoint'] as const
export type Step = (typeof steps)[number]

export interface SequencerOptions {
  config: Config
  clock: Clock
  log: Log
  /** Called before a step and when it is on disk; tests stop the process there. */
  onStep?: (step: Step, moment: 'before' | 'after') => void
  /**
   * Continue on an index that has lost commits: derived stores are made again, and a replay
   * follows.
   */
  acceptsOlderIndex?: boolean
}

interface Parts {
  paths: Paths
  lease: Lease
  seals: Seals
  index: Database
  accounts: Accounts
  takedowns: TakedownList
  meta: Meta
  options: SequencerOptions
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
 * recover() calls the same functions, so there is no repair path that only runs on bad days. What was
 * damaged meanwhile is set aside and made again before (`healing/`), or refused in words.
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
  readonly #seals: Seals
  readonly #turns = new PriorityQueue()
  #broken: Fatal | undefined
  /** Publishers of which the last commit took on no more than a portion. */
  #isUnfinished = false

  private constructor(parts: Parts) {
    this.paths = parts.paths
    this.#seals = parts.seals
    this.#lease = parts.lease
    this.index = parts.index
    this.accounts = parts.accounts
    this.#takedowns = parts.takedowns
    this.#meta = parts.meta
    this.#options = parts.options
    this.serving = ServingStore.open(parts.paths.servingFile)
    this.#projector = new Projector({
      ...parts,
      ...parts.options,
      serving: this.serving,
      step: (step, work) => this.#step(step, work),
    })
    this.#committer = new Committer({
      ...parts,
      ...parts.options,
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
    const paths = resolvePaths(options.config.DATA_DIR)
    makeFolders(paths)
    const lease = await Lease.take(paths.lease, { paths, log: options.log })
    if (lease === undefined) return undefined
    if (existsSync(paths.restoring)) {
      lease.release()
      throw new Fatal('a restore was not finished: run it again with --force')
    }
    const closing: (() => void)[] = [() => lease.release()]
    try {
      const facts = await openFacts(paths, ({ file }) =>
        options.log.info({ migration: file }, 'migrated'),
      )
      closing.push(
        () => facts.index.close(),
        () => facts.accounts.close(),
      )
      const seals = Seals.open(paths)
      closing.push(() => seals.close())
      return await Sequencer.#recovered({ paths, lease, seals, ...facts }, options)
    } catch (error) {
      for (const close of closing.reverse()) close()
      throw error
    }
  }

  static async #recovered(
    stores: Pick<Parts, 'paths' | 'lease' | 'seals' | 'index' | 'accounts'>,
    options: SequencerOptions,
  ): Promise<Sequencer> {
    const { index, accounts } = stores
    const { areDamaged } = await healStores({ ...stores, log: options.log }, options)
    const takedowns = await TakedownList.open(accounts.db)
    const meta = await raiseFence(index)
    const sequencer = new Sequencer({ ...stores, takedowns, meta, options })
    await sequencer.#projector.recover(meta)
    sequencer.#sealAll()
    options.log.info({ seq: meta.seq, fence: meta.fence }, 'recovered')
    await sequencer.#catchUp()
    if (areDamaged && meta.seq > 0) {
      await sequencer.publish()
      await sequencer.searchable()
    }
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
   * Commits a batch when its turn has come; batches with observations are bulk. An observation that
   * cannot be applied is found by bisecting the batch and set aside.
   */
  commit(batch: Batch): Promise<Committed> {
    const isForPeople = batch.submissions.length > 0 && batch.observations.length === 0
    const commitBisected = (part: Batch) =>
      commitBisecting(part, {
        commit: part => this.#commit(part),
        fail: (submission, error) => this.#fail(submission, error),
      })
    const work = () => commitSplitAtTakedowns(batch, commitBisected)
    const committed = this.#alone(work, isForPeople ? 'people' : 'others')
    return isForPeople ? committed : this.#finish(committed)
  }

  /**
   * Commits the remaining portions of unfinished answers, one at a time, so that waiting work comes in
   * between. After a crash the first tick goes on with them.
   */
  async #finish(committed: Promise<Committed>): Promise<Committed> {
    let done = await committed
    while (this.#isUnfinished) {
      const next = await this.#alone(async () =>
        this.#isUnfinished ? this.#commit({ observations: [], submissions: [] }) : undefined,
      )
      if (next) done = { ...done, seq: next.seq, events: done.events + next.events }
    }
    return done
  }

  /** Commits what time alone changed, if anything. */
  async tick(): Promise<Committed | undefined> {
    const due = await this.#alone(() =>
      this.index.one(
        `select 1 from (select turns_at as at_time from crawl_state union all select wakes_at from wakes)
         where at_time <= $now::timestamptz limit 1`,
        { now: toIso(this.#options.clock.now()) },
      ),
    )
    return due === undefined
      ? undefined
      : this.commit({ observations: [], submissions: [], actor: 'pipeline:tick' })
  }

  /** Publishes the commits since the last snapshot; returns the duration of the copy in ms. */
  publish(): Promise<number> {
    return this.#publishing.publish()
  }

  /** Resolves when search shows what was published last; nothing else waits for that. */
  searchable(): Promise<void> {
    return this.#publishing.searchable()
  }

  /**
   * Deletes what is past its retention: events beyond the feed's reach, old bytes, old requests.
   */
  retain(): Promise<void> {
    const { clock, config } = this.#options
    return this.#alone(async () => {
      this.#seals.break()
      await dropOldEvents(this.index, clock.now(), config.LIMITS.feedRetentionDays)
      await followRetention(this.index, this.serving, this.paths)
      await dropOldBodies(this.index, this.paths, clock.now())
      const { index, serving } = this
      const stores = { index, serving, accounts: this.accounts.db }
      await forgetPrivateRows(stores, clock.now(), config.LIMITS)
      this.#sealAll()
    })
  }

  /** Writes the tables as Parquet, once a UTC day; the first time only when most is crawled. */
  async exportTables(): Promise<void> {
    const { paths, index } = this
    if (await this.#alone(() => isTooSoonToExport(index, paths))) return
    const { clock, log } = this.#options
    if (!(await exportParquet(paths, clock.now(), log))) return
    this.#seals.forget(paths.parquet)
    this.#seals.note(...listFilesBelow(paths.parquet))
  }

  /** Copies the stores that nothing else can be made of to a folder, as of one commit. */
  async backUp(dir: string): Promise<Manifest> {
    const partial = beginBackup(dir)
    const made = await this.#alone(async () => {
      await copyStores(this, partial)
      return { seq: this.#meta.seq, made_at: toIso(this.#options.clock.now()) }
    })
    return finishBackup(partial, dir, made)
  }

  /** Runs work that reads the stores while no commit runs. */
  quietly<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#alone(work)
  }

  async close(): Promise<void> {
    this.#isUnfinished = false
    await this.#publishing.close()
    await this.#turns.settled()
    await this.serving.close()
    this.#seals.close()
    this.index.close()
    this.accounts.close()
    this.#lease.release()
  }

  async #commit(asked: Batch): Promise<Committed> {
    const started = performance.now()
    const usedBefore = process.cpuUsage()
    const now = this.#options.clock.now()
    const result = await this.#committer.commit(asked, now)
    this.#seals.break()
    const { seq, batch, events, held, isWatching } = result
    if (isWatching) this.#isUnfinished = result.unfinished > 0
    await this.#projector.show(seq, result.projection).catch(error => this.#break(error))
    const { takedowns = [] } = batch
    if (takedowns.length > 0) {
      await erase(this, takedowns, now).catch(error => this.#break(error))
      this.#sealAll()
    } else this.#seals.seal(this.paths.servingFile, ...this.#eventFiles(events))
    const { user, system } = process.cpuUsage(usedBefore)
    const ms = Math.round(performance.now() - started)
    const cpuMs = Math.round((user + system) / 1_000)
    this.#tell(asked, { seq, events: events.length, ms, cpu_ms: cpuMs })
    if (held.publishers > 0) {
      this.#options.log.error({ seq, ...held }, 'too much at once: held back; see `held list`')
    }
    return { seq, events: events.length, answers: await this.#committer.collectAnswers(result) }
  }

  /** Refuses a submission that cannot be carried out. */
  async #fail(submission: Submission, { message }: Error): Promise<Committed> {
    const { submission_id: id, operation } = submission
    const { clock, log } = this.#options
    const { seq } = this.#meta
    const answer = await failSubmission(this, submission, message, { now: clock.now(), seq })
    log.error({ submission: id, operation: operation.op, reason: message }, 'submission set aside')
    return { seq, events: 0, answers: new Map([[id, answer]]) }
  }

  /** Lists the event files of these events. */
  #eventFiles(events: CommitResult['events']): string[] {
    const days = new Set(events.map(({ event_id }) => toDay(toInstant(event_id))))
    return [...days].map(day => this.paths.eventFile(day))
  }

  /** Seals every file that may have changed, and forgets those that are gone. */
  #sealAll(): void {
    this.#seals.forget(this.paths.dir)
    this.#seals.seal(...listDerived(this.paths))
  }

  #tell(batch: Batch, commit: { seq: number; events: number; ms: number; cpu_ms: number }): void {
    const { log } = this.#options
    const { observations, submissions, poison = [] } = batch
    const changed = observations.filter(({ outcome }) => outcome === 'ok').length
    log.info(
      { ...commit, observations: observations.length, changed, submissions: submissions.length },
      'committed',
    )
    for (const { observation, reason } of poison) {
      log.error(
        { kind: observation.kind, location: observation.location, reason },
        'observation set aside',
      )
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
    const enrolments = await findUnknownEnrolments(this.index, await this.accounts.allEnrolments())
    const takedowns = this.#takedowns.uncleared
    if (enrolments.length > 0 || takedowns.length > 0) {
      const batch = { observations: [], submissions: [], enrolments, takedowns }
      await this.commit({ ...batch, actor: 'pipeline:tick' })
    }
    for (let after = ''; ; ) {
      const unrecorded = await findUnrecorded(this.index, after)
      if (unrecorded.length === 0) return
      await this.commit({ observations: [], submissions: [], unrecorded, actor: 'pipeline:tick' })
      after = unrecorded.at(-1)!
    }
  }

  async #step<Result>(step: Step, work: () => Result | Promise<Result>): Promise<Result> {
    this.#options.onStep?.(step, 'before')
    const result = await work()
    this.#options.onStep?.(step, 'after')
    return result
  }

  #alone<Result>(work: () => Promise<Result>, who: Priority = 'others'): Promise<Result> {
    return this.#turns.take(who, async () => {
      if (this.#broken) throw this.#broken
      return work()
    })
  }
}
