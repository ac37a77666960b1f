import { listDecisionsSince, loadPublicationsSince } from '../accounts/publications.ts'
import type { Accounts, CarriedOut } from '../accounts/store.ts'
import { type Clock, HOUR, type Instant } from '../core/clock.ts'
import type { Config } from '../core/config.ts'
import { type ProtectedNames, readProtectedNames } from '../core/lookalikes/protected-names.ts'
import { findLastTime, findNextTime } from '../core/schedule.ts'
import { RisingIds } from '../core/uuid-v7.ts'
import { WindowCounter } from '../core/window-counter.ts'
import { toHostingBase } from '../model/hosted.ts'
import {
  type Answer,
  type Refusal,
  type Submission,
  selectSubmissions,
} from '../model/submission.ts'
import type { Database } from '../store/database.ts'
import { type Meta, numberCommit } from '../store/meta.ts'
import type { Paths } from '../store/paths.ts'
import { apply } from './apply-batch.ts'
import type { Applied, ApplyContext, Batch } from './apply-context.ts'
import { chooseEvicted } from './community/evicted-brands.ts'
import { keepPictures, removePictures } from './community/logo-files.ts'
import { resolveReverts } from './community/reverts.ts'
import { storeBody } from './crawl/replace-documents.ts'
import { UnfinishedAnswers } from './entities/publisher-portions.ts'
import type { Projection } from './projector.ts'
import {
  completeAnswers,
  judgeSubmissions,
  readEditing,
  repeatVerdicts,
} from './submission-answers.ts'
import type { TakedownList } from './takedown/takedown-list.ts'

/** Parts of the writer that the committer needs. */
export interface CommitterParts {
  paths: Paths
  index: Database
  accounts: Accounts
  takedowns: TakedownList
  /** Position of the index; a commit advances it. */
  meta: Meta
  config: Config
  clock: Clock
  /** Reads what must be shown of a commit. */
  read: (seq: number) => Promise<Projection | undefined>
  onStep?: (step: 'accounts' | 'index', moment: 'before' | 'after') => void
}

/** Result of a commit: the applied batch, and its answers as far as the accounts know them. */
export interface CommitResult extends Applied {
  seq: number
  batch: Batch
  answers: ReadonlyMap<string, Answer>
  /**
   * Projection of the commit, where it is small: that of many observations is read once their rows are
   * released, and a large one in slices.
   */
  projection: Projection | undefined
}

/** Takes a batch into the accounts, and then into the index: steps 0 and 1 of any commit. */
export class Committer {
  readonly #parts: CommitterParts
  readonly #ids: RisingIds
  readonly #protectedNames: ProtectedNames
  readonly #hostingBase: string | undefined
  #night: Night = { began: 0, ends: 0 }

  constructor(parts: CommitterParts) {
    this.#parts = parts
    this.#ids = new RisingIds(parts.clock, parts.meta.last_event_id ?? undefined)
    this.#protectedNames = readProtectedNames(parts.config.PROTECTED_NAMES)
    this.#hostingBase = toHostingBase(parts.config.BASE_URL)
  }

  async commit(asked: Batch, now: Instant): Promise<CommitResult> {
    const { index, accounts, takedowns, meta } = this.#parts
    const seq = meta.seq + 1
    for (const { body, hash } of asked.observations) {
      if (body && hash) storeBody(this.#parts.paths, hash, body)
    }
    const take = async () => {
      const isAnyRevert = asked.submissions.some(({ operation }) => operation.op === 'audit.revert')
      const stores = { index, accounts: accounts.db }
      const { refused, ...resolved } = isAnyRevert
        ? await resolveReverts(stores, asked.submissions)
        : { submissions: asked.submissions, refused: nothingRefused }
      const batch = { ...asked, ...resolved }
      const carriedOut = await this.#carryOut(batch, { now, seq }, refused)
      return this.#take(batch, carriedOut, { now, seq })
    }
    const taken = await index.transaction(take).catch(error => {
      // What the list of taken down domains has read of the transaction is undone.
      takedowns.reload()
      throw error
    })
    const { submissions } = taken.batch
    if (submissions.length > 0) removePictures(this.#parts, submissions, seq)
    meta.seq = seq
    meta.last_event_id = taken.events.at(-1)?.event_id ?? meta.last_event_id
    this.#parts.onStep?.('index', 'after')
    return taken
  }

  /** Answers with what only the index knows too. */
  collectAnswers({ batch, answers, saved }: CommitResult): Promise<Map<string, Answer>> {
    if (batch.submissions.length === 0) return Promise.resolve(new Map(answers))
    return completeAnswers(this.#parts.index, batch.submissions, answers, saved)
  }

  /** Carries the submissions out in the accounts. */
  async #carryOut(
    { submissions, recorded }: Batch,
    stamp: { now: Instant; seq: number },
    reverts: ReadonlyMap<string, Refusal>,
  ): Promise<CarriedOut> {
    if (submissions.length === 0) return { answers: new Map(), fresh: new Set() }
    const { config, index, accounts, takedowns, onStep } = this.#parts
    const { REQUIRE_OWNERSHIP_PROOF: needsProof, LIMITS } = config
    onStep?.('accounts', 'before')
    const { refused, doubts, forgotten } = await judgeSubmissions(submissions, {
      index,
      accounts: accounts.db,
      now: stamp.now,
      needsProof,
      proofDays: LIMITS.proofDays,
      protectedNames: this.#protectedNames,
      protectedReach: config.PROTECTED_REACH,
      takenDown: takedowns.takenDown,
      enrichedBrands: LIMITS.enrichedBrands,
      base: this.#hostingBase,
    })
    const judged = { refused: new Map([...refused, ...reverts]), doubts, forgotten }
    const repeated = recorded && repeatVerdicts(submissions, judged, recorded.answers)
    const carriedOut = accounts.apply(submissions, stamp, repeated ?? judged, recorded?.answers)
    onStep?.('accounts', 'after')
    return carriedOut
  }

  /**
   * Reads the facts of the accounts that the index shows, in addition to those in this commit's submissions.
   */
  #readAccountFacts(batch: Batch, answers: ReadonlyMap<string, Answer>) {
    const { accounts, takedowns, meta } = this.#parts
    const { db } = accounts
    const done = batch.submissions.filter(submission => isDone(submission, answers))
    const enrolments = done.length > 0 ? accounts.loadEnrolments(done, answers) : []
    const verdicts =
      batch.verdicts ?? (done.length > 0 ? accounts.loadVerdicts(done, answers) : undefined)
    const publications = batch.publications ?? loadPublicationsSince(db, meta.seq)
    return {
      takedowns: takedowns.listErased(batch),
      enrolments: [...(batch.enrolments ?? []), ...enrolments],
      ...(verdicts && { verdicts }),
      ...(publications && { publications }),
      decisions: batch.decisions ?? listDecisionsSince(db, meta.seq),
    }
  }

  /** Chooses the enriched brands that give way to those of a batch. */
  async #chooseEvicted(
    { submissions, publications }: Batch,
    answers: ReadonlyMap<string, Answer>,
  ): Promise<string[]> {
    const { index, accounts, config } = this.#parts
    const added = selectSubmissions(submissions, 'brand.enrich').filter(each =>
      isDone(each, answers),
    )
    if (added.length === 0) return []
    const domains = new Set<string>(added.map(({ operation }) => operation.domain))
    const named = submissions.flatMap(({ operation }) =>
      'domain' in operation ? [operation.domain] : [],
    )
    const approved = publications?.brands.map(({ save }) => save.domain) ?? []
    return chooseEvicted(
      { index, accounts: accounts.db },
      { added: [...domains], kept: new Set([...named, ...approved]) },
      config.LIMITS.enrichedBrands,
    )
  }

  async #take(
    requested: Batch,
    { answers, fresh }: CarriedOut,
    { now, seq }: { now: Instant; seq: number },
  ): Promise<CommitResult> {
    const { index, meta, onStep } = this.#parts
    const report = this.#readAccountFacts(requested, answers)
    const evicted =
      answers.size > 0 ? await this.#chooseEvicted({ ...requested, ...report }, answers) : []
    const submissions = requested.submissions.filter(submission => isDone(submission, answers))
    const editing = answers.size > 0 ? { editing: readEditing(answers) } : {}
    const batch: Batch = { ...requested, ...report, ...editing, evicted, submissions, fresh }
    const applied = await apply(index, batch, this.#buildContext(now, seq))
    if (submissions.length > 0) keepPictures(this.#parts, submissions)
    onStep?.('index', 'before')
    await numberCommit(index, meta.fence, {
      seq,
      now,
      lastEventId: applied.events.at(-1)?.event_id,
    })
    const projection = requested.observations.length > 0 ? undefined : await this.#parts.read(seq)
    return { ...applied, seq, batch, answers, projection }
  }

  /** Kept in memory: a writer that starts begins a new hour. */
  readonly #newNames = new WindowCounter(HOUR)
  readonly #unfinishedAnswers = new UnfinishedAnswers()

  #buildContext(now: Instant, seq: number): ApplyContext {
    const { config, accounts, takedowns } = this.#parts
    const { RECRAWL_HOURS, FRONTIER_MAX, LIMITS } = config
    const { began, ends } = this.#findNight(now)
    return {
      now,
      seq,
      ids: this.#ids,
      mint: () => this.#ids.next(),
      nextRun: ends,
      soonestMs: RECRAWL_HOURS * HOUR,
      frontierMax: FRONTIER_MAX,
      accounts: accounts.db,
      agentsPerSite: LIMITS.agentsPerSite,
      agentsPerDocumentHour: LIMITS.agentsPerDocumentHour,
      namesPerDocumentHour: LIMITS.namesPerDocumentHour,
      namesPerSiteHour: LIMITS.namesPerSiteHour,
      newNames: this.#newNames,
      unfinishedAnswers: this.#unfinishedAnswers,
      portionRows: LIMITS.commitRows,
      takenDown: takedowns.takenDown,
      hostingBase: this.#hostingBase,
      night: began,
      brake: {
        share: config.BRAKE_SHARE,
        factor: config.BRAKE_FACTOR,
        rows: config.BRAKE_ROWS,
        publishers: config.BRAKE_PUBLISHERS,
      },
    }
  }

  /**
   * Returns the current night. It is cached: evaluating the schedule costs as much as a statement.
   */
  #findNight(now: Instant): Night {
    const { began, ends } = this.#night
    if (now < began || now >= ends) {
      const { CRAWL_SCHEDULE: schedule } = this.#parts.config
      this.#night = { began: findLastTime(schedule, now), ends: findNextTime(schedule, now) }
    }
    return this.#night
  }
}

/** The time from one scheduled run to the next. */
interface Night {
  began: Instant
  ends: Instant
}

const nothingRefused: ReadonlyMap<string, Refusal> = new Map()

/** Tells whether a submission was carried out, not refused. */
function isDone({ submission_id }: Submission, answers: ReadonlyMap<string, Answer>): boolean {
  const answer = answers.get(submission_id)
  if (answer === undefined) throw new Error(`the submission ${submission_id} has no answer`)
  return 'done' in answer
}
