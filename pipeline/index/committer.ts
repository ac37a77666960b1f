import type { Clock, Instant } from '../core/clock.ts'
import { HOUR } from '../core/clock.ts'
import type { Config } from '../core/config.ts'
import { type ProtectedNames, readProtectedNames } from '../core/protected-names.ts'
import { lastTime, nextTime } from '../core/schedule.ts'
import { together } from '../core/together.ts'
import { RisingIds } from '../core/uuid-v7.ts'
import { hostingBase } from '../model/hosted.ts'
import type { Answer, Refusal } from '../model/submission.ts'
import { decisionsSince } from './accounts/entry-reviews.ts'
import { publicationsSince } from './accounts/publications.ts'
import type { Accounts, Begun } from './accounts.ts'
import { type Applied, apply, type Batch } from './apply.ts'
import type { Applying } from './applying.ts'
import { keepBody } from './documents.ts'
import type { Database } from './duckdb.ts'
import { type Meta, numberCommit } from './meta.ts'
import type { Paths } from './paths.ts'
import { keepPictures } from './pictures.ts'
import type { Projection } from './projector.ts'
import { resolveReverts } from './reverts.ts'
import { completed, editingIn, judged } from './submission-answers.ts'
import type { TakedownList } from './takedown-list.ts'

/** What the committer is given by the writer. */
export interface Committing {
  paths: Paths
  index: Database
  accounts: Accounts
  takedowns: TakedownList
  /** How far the index is; a commit moves it on. */
  meta: Meta
  config: Config
  clock: Clock
  /** Reads what must be shown of a commit. */
  read: (seq: number) => Promise<Projection>
  onStep?: (step: 'accounts' | 'index', moment: 'before' | 'after') => void
}

/** What a commit came to: what it left of the batch, and its answers as far as the accounts know them. */
export interface Kept extends Applied {
  seq: number
  batch: Batch
  answers: ReadonlyMap<string, Answer>
  /** What must be shown of it, where that is little: of many observations it is read once their rows are let go. */
  projection: Projection | undefined
}

/**
 * Takes a batch into the accounts and the index: steps 0 and 1 of any commit. While the accounts come
 * to the disk, what follows from them is written to the index, which commits only once they are there.
 */
export class Committer {
  readonly #of: Committing
  readonly #ids: RisingIds
  readonly #protectedNames: ProtectedNames
  #night: Night = { began: 0, ends: 0 }

  constructor(of: Committing) {
    this.#of = of
    this.#ids = new RisingIds(of.clock, of.meta.last_event_id ?? undefined)
    this.#protectedNames = readProtectedNames(of.config.PROTECTED_NAMES)
  }

  async commit(asked: Batch, now: Instant): Promise<Kept> {
    const { index, accounts, meta } = this.#of
    const seq = meta.seq + 1
    await index.useThreads(1)
    const stores = { index, accounts: accounts.db }
    const { refused, ...resolved } = await resolveReverts(stores, asked.submissions)
    const given = { ...asked, ...resolved }
    const begun = this.#begin(given, { now, seq }, refused)
    try {
      return await this.#take(given, begun, { now, seq })
    } catch (error) {
      await Promise.allSettled([begun.decided, begun.kept])
      throw error
    }
  }

  /** Answers with what only the index knows too. */
  answersOf({ batch, answers, saved }: Kept): Promise<Map<string, Answer>> {
    return completed(this.#of.index, batch.submissions, answers, saved)
  }

  #begin(
    batch: Batch,
    stamp: { now: Instant; seq: number },
    reverts: ReadonlyMap<string, Refusal>,
  ): Begun<Told> {
    const { submissions } = batch
    const tell = (answers: ReadonlyMap<string, Answer>) => this.#tell(batch, answers)
    if (submissions.length === 0) {
      const answers = new Map<string, Answer>()
      const decided = tell(answers).then(told => ({ answers, fresh: new Set<string>(), told }))
      return { decided, kept: Promise.resolve() }
    }
    const { config, index, accounts, takedowns, onStep } = this.#of
    const { REQUIRE_OWNERSHIP_PROOF: needsProof, LIMITS, BASE_URL } = config
    onStep?.('accounts', 'before')
    const judge = async () => {
      const { refused, doubts } = await judged(submissions, {
        ...{ index, accounts: accounts.db, now: stamp.now },
        ...{ needsProof, proofDays: LIMITS.proofDays, protectedNames: this.#protectedNames },
        takenDown: takedowns.takenDown,
        base: hostingBase(BASE_URL),
      })
      return { refused: new Map([...refused, ...reverts]), doubts }
    }
    const { decided, kept } = accounts.begin(submissions, stamp, judge, tell)
    const told = kept.then(() => onStep?.('accounts', 'after'))
    told.catch(() => undefined)
    return { decided, kept: told }
  }

  /** What the index is told of the accounts, besides what was asked for in this commit. */
  async #tell(batch: Batch, answers: ReadonlyMap<string, Answer>) {
    const { accounts, takedowns, meta } = this.#of
    const { db } = accounts
    const done = batch.submissions.filter(
      ({ submission_id }) => 'done' in answers.get(submission_id)!,
    )
    const enrolments = await accounts.enrolments(done, answers)
    const publications = batch.publications ?? (await publicationsSince(db, meta.seq))
    return {
      takedowns: await takedowns.in(batch),
      enrolments: [...(batch.enrolments ?? []), ...enrolments],
      ...(publications && { publications }),
      decisions: batch.decisions ?? (await decisionsSince(db, meta.seq)),
    }
  }

  async #take(
    given: Batch,
    { decided, kept }: Begun<Told>,
    { now, seq }: { now: Instant; seq: number },
  ): Promise<Kept> {
    const { index, meta, paths, onStep } = this.#of
    for (const { body, hash } of given.observations) {
      if (body && hash) keepBody(paths, hash, body)
    }
    const taken = await index.transaction(async () => {
      const { answers, fresh, told } = await decided
      const submissions = given.submissions.filter(
        ({ submission_id }) => 'done' in answers.get(submission_id)!,
      )
      const editing = editingIn(answers)
      const batch: Batch = { ...given, ...told, submissions, editing, fresh }
      const applied = await apply(index, batch, this.#applying(now, seq))
      await kept
      await keepPictures(this.#of, submissions, seq)
      onStep?.('index', 'before')
      const commit = { seq, now, lastEventId: applied.events.at(-1)?.event_id }
      const numbering = numberCommit(index, meta.fence, commit)
      const reading = given.observations.length > 0 ? undefined : this.#of.read(seq)
      await together(numbering, Promise.resolve(reading))
      return { ...applied, seq, batch, answers, projection: await reading }
    })
    meta.seq = seq
    meta.last_event_id = taken.events.at(-1)?.event_id ?? meta.last_event_id
    onStep?.('index', 'after')
    return taken
  }

  #applying(now: Instant, seq: number): Applying {
    const { config, takedowns } = this.#of
    const { RECRAWL_HOURS, FRONTIER_MAX, LIMITS } = config
    const { began, ends } = this.#nightOf(now)
    return {
      ...{ now, seq, ids: this.#ids, mint: () => this.#ids.next() },
      nextRun: ends,
      soonestMs: RECRAWL_HOURS * HOUR,
      frontierMax: FRONTIER_MAX,
      agentsPerHost: LIMITS.agentsPerHost,
      takenDown: takedowns.takenDown,
      hostingBase: hostingBase(config.BASE_URL),
      night: began,
      brake: {
        share: config.BRAKE_SHARE,
        factor: config.BRAKE_FACTOR,
        rows: config.BRAKE_ROWS,
        publishers: config.BRAKE_PUBLISHERS,
      },
    }
  }

  /** The night that it is: reading the schedule costs as much as a statement, and few commits need it anew. */
  #nightOf(now: Instant): Night {
    const { began, ends } = this.#night
    if (now < began || now >= ends) {
      const { CRAWL_SCHEDULE: schedule } = this.#of.config
      this.#night = { began: lastTime(schedule, now), ends: nextTime(schedule, now) }
    }
    return this.#night
  }
}

/** From one time of the schedule to the next. */
interface Night {
  began: Instant
  ends: Instant
}

type Told = Pick<Batch, 'takedowns' | 'enrolments' | 'publications' | 'decisions'>
