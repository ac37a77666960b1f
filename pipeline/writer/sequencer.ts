import { join } from 'node:path'
import type { Accounts } from '../accounts/store.ts'
import type { Clock } from '../core/clock.ts'
import type { Config } from '../core/config.ts'
import { Fatal } from '../core/errors.ts'
import type { Log } from '../core/log.ts'
import { isBucketAddress } from '../core/publish-target.ts'
import type { Submission } from '../model/submission.ts'
import { ServingStore } from '../serving/lmdb.ts'
import { dropJournal, WriteJournal } from '../serving/write-journal.ts'
import type { Database } from '../store/database.ts'
import { explainFailedWrite, readFreeDisk } from '../store/free-disk.ts'
import { type Meta, raiseFence } from '../store/meta.ts'
import type { Paths } from '../store/paths.ts'
import { readLogSigner } from '../transparency/log-signer.ts'
import { findLastLogged } from '../transparency/open-tree.ts'
import { type KeepHead, TreeLog } from '../transparency/tree-log.ts'
import type { Batch } from './apply-context.ts'
import { findUncommitted } from './catch-up.ts'
import { type Committed, commitBisecting, commitSplitAtTakedowns } from './commit-in-parts.ts'
import { Committer } from './committer.ts'
import { recordEnriched } from './community/evicted-brands.ts'
import type { Manifest } from './copy-stores.ts'
import { recordLookedUp } from './crawl/looked-up-names.ts'
import { hasTimeChanged } from './dependencies.ts'
import { failSubmission } from './failed-submissions.ts'
import { setLastEvent } from './healing/facts.ts'
import { healStores, listDerived } from './healing/heal.ts'
import { type CommitFacts, logCommit, startMeasuring, summarizeCommit } from './log-commit.ts'
import { closeStores, openStores, type WriterStores } from './open-stores.ts'
import { type Priority, PriorityQueue } from './priority-queue.ts'
import { Projector } from './projector.ts'
import { Publishing } from './publishing.ts'
import { erase } from './takedown/erase-copies.ts'
import { TakedownList } from './takedown/takedown-list.ts'
import { Upkeep } from './upkeep.ts'

/** The numbered steps of a commit, in their order. */
export const steps = ['accounts', 'index', 'serving', 'events', 'snapshot', 'checkpoint'] as const
export type Step = (typeof steps)[number]

export interface SequencerOptions {
  config: Config
  clock: Clock
  log: Log
  /** Called before a step and when it is on disk; tests stop the process there. */
  onStep?: (step: Step, moment: 'before' | 'after') => void
  /** Called after each commit, once readers see it. */
  onCommit?: (facts: CommitFacts) => void
  /** Rejects where another host may have taken over; asked before each commit. */
  ensureMayWrite?: () => Promise<void>
  /** Keeps a head of the log, and its events, elsewhere before anybody sees it. */
  keepHead?: KeepHead
  /** Continue on a record that has lost commits: derived stores are made again. */
  acceptsOlderIndex?: boolean
}

interface Parts {
  stores: WriterStores
  takedowns: TakedownList
  meta: Meta
  options: SequencerOptions
}

/**
 * The single writer. A commit goes through the steps above in that order, and each leaves something
 * that the next can be made from:
 *
 * | a crash after | leaves behind                   | recover() then     |
 * |---------------|---------------------------------|--------------------|
 * | index         | rows that readers do not see    | serving, events    |
 * | serving       | an event file that is behind    | events             |
 * | events        | a snapshot that is behind       | the next publish() |
 * | snapshot      | an old checkpoint               | the next publish() |
 *
 * recover() calls the same functions, so there is no repair path that only runs on bad days. What was
 * damaged meanwhile is set aside and made again before (`healing/`), or refused in words.
 */
export class Sequencer {
  readonly paths: Paths
  readonly index: Database
  readonly accounts: Accounts
  readonly serving: ServingStore
  /** Records commits for replicas, where they are published. */
  readonly journal: WriteJournal | undefined
  /** The tamper-evident log of what was committed. */
  readonly treeLog: TreeLog
  readonly #stores: WriterStores
  readonly #projector: Projector
  readonly #publishing: Publishing
  readonly #upkeep: Upkeep
  readonly #options: SequencerOptions
  readonly #committer: Committer
  readonly #meta: Meta
  readonly #turns = new PriorityQueue()
  #failure: Fatal | undefined
  /** The last commit left portions of answers, or files that time has turned, to the next ones. */
  #isUnfinished = false

  private constructor({ stores, takedowns, meta, options }: Parts) {
    this.paths = stores.paths
    this.index = stores.index
    this.accounts = stores.accounts
    this.#stores = stores
    this.#meta = meta
    this.#options = options
    const { servingFile } = stores.paths
    this.serving = ServingStore.open(servingFile)
    if (options.config.PUBLISH_TO === undefined) dropJournal(servingFile)
    else this.journal = WriteJournal.open(this.serving, servingFile)
    this.treeLog = openTreeLog(stores.paths, options)
    const parts = {
      ...stores,
      ...options,
      takedowns,
      meta,
      serving: this.serving,
      treeLog: this.treeLog,
      alone: <Result>(work: () => Promise<Result>) => this.#runAlone(work),
      step: <Result>(step: Step, work: () => Result | Promise<Result>) => this.#step(step, work),
    }
    this.#projector = new Projector(parts)
    this.#committer = new Committer({ ...parts, read: seq => this.#projector.read(seq) })
    const { snapshotsKept, snapshotLogBytes } = options.config.LIMITS
    const last = () => meta
    this.#publishing = new Publishing({ ...parts, snapshotsKept, snapshotLogBytes, last })
    this.#upkeep = new Upkeep({ ...parts, last: () => meta.seq })
  }

  /**
   * Opens the sequencer; undefined while another process writes. Commits that a crash interrupted are
   * complete when it returns.
   */
  static async open(options: SequencerOptions): Promise<Sequencer | undefined> {
    const stores = await openStores(options.config.DATA_DIR, options.log)
    if (stores === undefined) return undefined
    try {
      return await Sequencer.#recovered(stores, options)
    } catch (error) {
      closeStores(stores)
      throw error
    }
  }

  static async #recovered(stores: WriterStores, options: SequencerOptions): Promise<Sequencer> {
    const { index, accounts, seals, paths } = stores
    const { areDamaged } = await healStores({ ...stores, log: options.log }, options)
    const takedowns = new TakedownList(accounts.db)
    // A restored record is older than the log, which never gets shorter.
    const lastLogged = findLastLogged(paths)
    if (lastLogged !== undefined) await setLastEvent(index, lastLogged)
    const meta = await raiseFence(index)
    const sequencer = new Sequencer({ stores, takedowns, meta, options })
    await sequencer.#projector.recover(meta)
    seals.sealOnly(listDerived(paths))
    options.log.info({ seq: meta.seq, fence: meta.fence }, 'recovered')
    for await (const batch of findUncommitted({ index, takedowns })) {
      await sequencer.commit(batch)
    }
    const stamp = { now: options.clock.now(), seq: meta.seq }
    await recordEnriched(index, accounts.db, stamp)
    await recordLookedUp(index, accounts.db, stamp)
    if (areDamaged && meta.seq > 0) {
      await sequencer.publish()
      await sequencer.searchable()
    }
    return sequencer
  }

  /** Returns the number of the last commit. */
  get seq(): number {
    return this.#meta.seq
  }

  get lastEventId(): string | undefined {
    return this.#meta.last_event_id ?? undefined
  }

  /** Returns for how many milliseconds the writer has been at its current task; 0 while it has none. */
  get busyMs(): number {
    return this.#turns.busyMs
  }

  /** Tells whether people have sent submissions within the last seconds. */
  get arePeopleSaving(): boolean {
    return this.#turns.arePeopleSaving
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
    const committed = this.#runAlone(work, isForPeople ? 'people' : 'others')
    return isForPeople ? committed : this.#finish(committed)
  }

  /**
   * Commits what is left of unfinished answers and turned files, a portion at a time, so that waiting work comes in
   * between. After a crash the first tick continues them.
   */
  async #finish(committed: Promise<Committed>): Promise<Committed> {
    let done = await committed
    while (this.#isUnfinished) {
      const next = await this.#runAlone(async () =>
        this.#isUnfinished ? this.#commit({ observations: [], submissions: [] }) : undefined,
      )
      if (next) done = { ...done, seq: next.seq, events: done.events + next.events }
    }
    return done
  }

  /** Commits what time alone changed, if anything. */
  async tick(): Promise<Committed | undefined> {
    const now = this.#options.clock.now()
    const isDue = await this.#runAlone(() => hasTimeChanged(this.index, now))
    if (!isDue) return undefined
    return this.commit({ observations: [], submissions: [], actor: 'pipeline:tick' })
  }

  /** Publishes the commits since the last snapshot; returns the duration of the copy in ms. */
  publish(): Promise<number> {
    return this.#publishing.publish()
  }

  /** Resolves when bulk commits may go on: where the log of the record is long, after the publication under way. */
  async waitForPublication(): Promise<void> {
    await this.#publishing.awaited
  }

  /** Resolves when search shows what was published last; nothing else waits for that. */
  searchable(): Promise<void> {
    return this.#publishing.searchable()
  }

  /** Deletes what is past its retention; false where that has to be repeated soon. */
  retain(): Promise<boolean> {
    return this.#upkeep.retain()
  }

  /** Writes the tables as Parquet, when that is due. */
  exportTables(): Promise<void> {
    return this.#publishing.readSnapshot(() => this.#upkeep.exportTables())
  }

  /** Copies the stores that nothing else can be made of to a folder, as of one commit. */
  backUp(dir: string): Promise<Manifest> {
    return this.#upkeep.backUp(dir)
  }

  /** Runs work that reads the stores while no commit runs. */
  quietly<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#runAlone(work)
  }

  /** Makes replicas start over, because what was recorded for them has a gap. */
  restartChain(): Promise<void> {
    const { seals } = this.#stores
    return this.#runAlone(async () => {
      seals.unseal()
      this.journal?.restart()
      seals.seal(this.paths.servingFile)
    })
  }

  async close(): Promise<void> {
    this.#isUnfinished = false
    await this.#publishing.close()
    await this.#turns.settled()
    await this.treeLog.settle()
    await this.serving.close()
    this.journal?.close()
    closeStores(this.#stores)
  }

  async #commit(asked: Batch): Promise<Committed> {
    const measure = startMeasuring()
    await this.#options.ensureMayWrite?.()
    const now = asked.recorded?.at ?? this.#options.clock.now()
    const result = await this.#committer.commit(asked, now)
    const { seals } = this.#stores
    seals.unseal()
    const { seq, batch, events, hasAppliedTime } = result
    if (hasAppliedTime) this.#isUnfinished = result.unfinished > 0
    await this.#projector.show(seq, result.projection).catch(error => this.#break(error))
    const { takedowns = [] } = batch
    if (takedowns.length > 0) {
      await erase(this, takedowns, now).catch(error => this.#break(error))
      this.journal?.restart()
      seals.sealOnly(listDerived(this.paths))
    } else seals.sealCommit(events)
    const took = measure()
    logCommit(this.#options.log, asked, result, took)
    this.#options.onCommit?.(summarizeCommit(asked, result, took))
    return {
      seq,
      at: now,
      events: events.length,
      answers: await this.#committer.collectAnswers(result),
    }
  }

  async #fail(submission: Submission, error: Error): Promise<Committed> {
    const { seq } = this.#meta
    const { clock, log } = this.#options
    const now = clock.now()
    const answer = await failSubmission({ ...this.#stores, log }, submission, error, { now, seq })
    return { seq, at: now, events: 0, answers: new Map([[submission.submission_id, answer]]) }
  }

  /**
   * Stops the writer: the index has a commit that the other stores lack, and a later one would leave a gap
   * there.
   */
  #break(error: unknown): never {
    const cause = explainFailedWrite(error, readFreeDisk(this.paths))
    this.#failure = new Fatal('a commit could not be projected: restart the registry', { cause })
    throw this.#failure
  }

  async #step<Result>(step: Step, work: () => Result | Promise<Result>): Promise<Result> {
    this.#options.onStep?.(step, 'before')
    const result = await work()
    this.#options.onStep?.(step, 'after')
    return result
  }

  #runAlone<Result>(work: () => Promise<Result>, who: Priority = 'others'): Promise<Result> {
    return this.#turns.take(who, async () => {
      if (this.#failure) throw this.#failure
      try {
        return await work()
      } catch (error) {
        if (error instanceof Fatal) this.#failure = error
        throw error
      }
    })
  }
}

function openTreeLog(paths: Paths, { config, keepHead }: SequencerOptions): TreeLog {
  const { PUBLISH_TO: target } = config
  // A bucket gets its copy from `log` itself, behind the commits.
  const copyTo = target === undefined || isBucketAddress(target) ? undefined : join(target, 'log')
  return new TreeLog({ paths, signer: readLogSigner(config, paths), copyTo, keepHead })
}
