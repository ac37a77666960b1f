import { toIso } from '../core/clock.ts'
import type { Answer, Refusal, SaveVerdicts, Submission } from '../model/submission.ts'
import { BloomFilter } from '../store/bloom-filter.ts'
import type { Database } from '../store/duckdb.ts'
import { inList } from '../store/in-list.ts'
import type { OnMigration } from '../store/migrations.ts'
import { type KnownVerdicts, listTestedAgents, loadVerdicts } from './agents/verdicts.ts'
import { type AuditRow, appendedRequests, toAuditColumns } from './audit.ts'
import { performRecorded } from './changed-rows.ts'
import { submitEntryReview } from './entry-reviews.ts'
import { openMigrated } from './migrate.ts'
import type { RowChange } from './operation-definition.ts'
import { getDefinition } from './operations.ts'
import { RevocationCache } from './revocation-cache.ts'
import type { AccountStamp } from './stamp.ts'
import { loadEnrolments } from './stored-members.ts'

/** Results of submissions, with the facts of the accounts that the rest of the commit needs. */
export interface Decided<Report> {
  answers: Map<string, Answer>
  /** Submissions that were carried out for the first time: nothing is derived from them yet. */
  fresh: ReadonlySet<string>
  report: Report
}

/** A commit of the accounts that is in progress. */
export interface AccountsWrite<Report> {
  decided: Promise<Decided<Report>>
  /** Resolves when it is on disk. */
  committed: Promise<void>
}

/** Verdicts, time and earlier answers by which submissions are carried out. */
interface Carrying extends SaveVerdicts {
  stamp: AccountStamp
  /** Answers that they have got before, on a host that is gone. */
  recorded: ReadonlyMap<string, Answer>
}

const noVerdicts: SaveVerdicts = { refused: new Map(), doubts: new Map() }

/**
 * The private store: organizations, keys, members, requests. It is written before the index, and each
 * submission is remembered here with its answer, so that a second delivery changes nothing.
 */
export class Accounts {
  readonly db: Database
  readonly #seenIds: BloomFilter
  readonly #revocations: RevocationCache
  /** Last commit that this process began. */
  #lastSeq: number | undefined

  private constructor(db: Database, seenIds: BloomFilter, revocations: RevocationCache) {
    this.db = db
    this.#seenIds = seenIds
    this.#revocations = revocations
  }

  static async open(file: string, onMigration?: OnMigration): Promise<Accounts> {
    const db = await openMigrated(file, onMigration)
    const seenIds = new BloomFilter()
    const known = db.stream<{ id: string }>('select submission_id as id from submissions')
    for await (const rows of known) for (const { id } of rows) seenIds.add(id)
    const revocations = new RevocationCache(db)
    await revocations.read()
    return new Accounts(db, seenIds, revocations)
  }

  /**
   * Applies submissions in order; a refused one does not affect the others. A submission that waited while
   * its key was revoked, or its author lost the right to it, is refused. `judge` returns the submissions that
   * the index refuses, with reasons.
   */
  async apply(
    submissions: readonly Submission[],
    stamp: AccountStamp,
    judge: () => Promise<SaveVerdicts> = async () => noVerdicts,
  ): Promise<Map<string, Answer>> {
    const { decided, committed } = this.begin(submissions, stamp, judge, async () => undefined)
    const { answers } = await decided
    await committed
    return answers
  }

  /**
   * Begins a commit in two phases, so that the index can use the decisions while the accounts are written
   * to disk. `readReport` reads the other facts that the index needs from the accounts. Until `committed`
   * resolves the accounts must not be queried, and nothing derived from the answers may be stored. An editor
   * without an id gets that of the `recorded` answer.
   */
  begin<Report>(
    submissions: readonly Submission[],
    stamp: AccountStamp,
    judge: () => Promise<SaveVerdicts>,
    readReport: (answers: Map<string, Answer>) => Promise<Report>,
    recorded: ReadonlyMap<string, Answer> = new Map(),
  ): AccountsWrite<Report> {
    let decide: (decided: Decided<Report>) => void
    let fail: (error: unknown) => void
    const decided = new Promise<Decided<Report>>((resolve, reject) => {
      decide = resolve
      fail = reject
    })
    let rows: AuditRow[] = []
    const carryOut = async () => {
      await this.#revocations.read()
      const judged = await judge()
      const answers = await this.#findAnswers(submissions)
      rows = await this.#carryOutAll(submissions, { ...judged, stamp, recorded }, answers)
      const fresh = new Set(rows.map(({ submission_id }) => submission_id))
      decide({ answers, fresh, report: await readReport(answers) })
    }
    const committed = this.db.transactionEnding(carryOut, async () => {
      this.#noteRequests(rows, stamp)
      await this.db.insert('submissions', rows)
      for (const { submission_id } of rows) this.#seenIds.add(submission_id)
    })
    committed.catch(error => {
      this.#revocations.invalidate()
      appendedRequests.forget(this.db)
      fail(error)
    })
    decided.catch(() => undefined)
    return { decided, committed }
  }

  /**
   * Replaces the answer to a submission that the index cannot apply; without a replacement, returns the
   * stored answer.
   */
  async replaceAnswer(
    submission: Submission,
    replacement: Answer | undefined,
    stamp: AccountStamp,
  ): Promise<Answer | undefined> {
    const { submission_id: id, digest } = submission
    const known = (await this.#findAnswers([submission])).get(id)
    if (replacement === undefined) return known
    const answer = digest === undefined ? replacement : { ...replacement, digest }
    await this.db.transaction(async () => {
      if (known) {
        await this.db.write(
          'update',
          'submissions',
          'set answer = $answer::json where submission_id = $id',
          { id, answer: JSON.stringify(answer) },
        )
        return
      }
      const columns = { ...toAuditColumns(submission), answer, changes: null }
      await this.db.insert('submissions', [
        { ...columns, submitted_at: toIso(stamp.now), seq: stamp.seq },
      ])
    })
    this.#seenIds.add(id)
    appendedRequests.forget(this.db)
    return answer
  }

  /**
   * Records the requests of a commit for its projection. If this commit was started before, by this process
   * or an earlier one, it may have stored other requests; the projection then reads all of them from the
   * table.
   */
  #noteRequests(rows: readonly AuditRow[], { seq }: AccountStamp): void {
    if (this.#lastSeq !== undefined && seq > this.#lastSeq) appendedRequests.begin(this.db, seq)
    this.#lastSeq = seq
    appendedRequests.note(this.db, seq, rows)
  }

  /**
   * Loads the public agents of each member that these submissions change. Reads the stored rows
   * instead of the answers, since an old submission may be delivered again after a newer one.
   */
  async loadEnrolments(submissions: readonly Submission[], answers: ReadonlyMap<string, Answer>) {
    const touched = submissions.flatMap(({ submission_id, operation }) => {
      const answer = answers.get(submission_id)
      const isEnrolmentChange =
        getDefinition(operation).changesEnrolments && answer && 'done' in answer
      return isEnrolmentChange ? [answer.done.org_id] : []
    })
    const orgs = [...new Set(touched as string[])]
    return orgs.length > 0 ? loadEnrolments(this.db, orgs) : []
  }

  /** Loads the public agents of every member. */
  async loadAllEnrolments() {
    const members = await this.db.all<{ org_id: string }>('select org_id from members')
    return loadEnrolments(
      this.db,
      members.map(({ org_id }) => org_id),
    )
  }

  /**
   * Loads the verdicts of agents that these submissions test, or whose visibility they change; undefined if
   * there are none. The current verdict is read, even for a submission that was delivered before.
   */
  async loadVerdicts(
    submissions: readonly Submission[],
    answers: ReadonlyMap<string, Answer>,
  ): Promise<KnownVerdicts | undefined> {
    const agents = new Set<string>()
    const orgs = new Set<string>()
    for (const { submission_id, operation } of submissions) {
      const answer = answers.get(submission_id)
      if (answer === undefined || 'refused' in answer) continue
      const { changesVerdicts, changesEnrolments } = getDefinition(operation)
      const { agent_url, agent_urls = [], org_id } = answer.done
      if (changesVerdicts)
        for (const url of [agent_url ?? [], agent_urls].flat()) agents.add(url as string)
      if (changesEnrolments) orgs.add(org_id as string)
    }
    if (agents.size === 0 && orgs.size === 0) return undefined
    for (const url of await listTestedAgents(this.db, [...orgs])) agents.add(url)
    return agents.size > 0 ? loadVerdicts(this.db, [...agents]) : undefined
  }

  /** Loads the verdicts of all agents that were ever tested. */
  async loadAllVerdicts(): Promise<KnownVerdicts> {
    const rows = await this.db.all<{ agent_url: string }>('select agent_url from agent_compliance')
    return loadVerdicts(
      this.db,
      rows.map(({ agent_url }) => agent_url),
    )
  }

  close(): void {
    this.db.close()
  }

  async #findAnswers(submissions: readonly Submission[]): Promise<Map<string, Answer>> {
    const ids = submissions.map(({ submission_id }) => submission_id)
    const asked = ids.filter(id => this.#seenIds.mayHave(id))
    if (asked.length === 0) return new Map()
    const { condition, keys } = inList('submission_id', asked)
    const rows = await this.db.all<{ submission_id: string; answer: Answer }>(
      `select submission_id, answer from submissions where ${condition}`,
      keys,
      'cached',
    )
    return new Map(rows.map(({ submission_id, answer }) => [submission_id, answer]))
  }

  /** Adds the answers; returns the new audit rows. */
  async #carryOutAll(
    submissions: readonly Submission[],
    { refused, doubts, stamp, recorded }: Carrying,
    answers: Map<string, Answer>,
  ): Promise<AuditRow[]> {
    const submitted_at = toIso(stamp.now)
    const rows: AuditRow[] = []
    for (const submission of submissions) {
      const { submission_id: id } = submission
      if (answers.has(id)) continue
      const revoked = this.#revocations.findRefusal(submission)
      if (revoked) {
        // Not stored: another credential may send it again with the same Idempotency-Key.
        answers.set(id, revoked)
        continue
      }
      const known = { refusal: refused.get(id), doubt: doubts.get(id) }
      const { answer, changes } = await this.#carryOut(
        submission,
        withEditorId(stamp, recorded.get(id)),
        known,
      )
      answers.set(id, answer)
      this.#revocations.update(submission, answer)
      rows.push({ ...toAuditColumns(submission), answer, changes, submitted_at, seq: stamp.seq })
    }
    return rows
  }

  async #carryOut(
    { operation, digest }: Submission,
    stamp: AccountStamp,
    { refusal, doubt }: { refusal: Refusal | undefined; doubt: string | undefined },
  ): Promise<{ answer: Answer; changes: RowChange[] | null }> {
    const performed = refusal
      ? { answer: refusal, changes: null }
      : await performRecorded(this.db, operation, stamp)
    const answer =
      doubt === undefined
        ? performed.answer
        : await submitEntryReview(this.db, operation, performed.answer, doubt, stamp)
    return {
      answer: digest === undefined ? answer : { ...answer, digest },
      changes: performed.changes,
    }
  }
}

function withEditorId(stamp: AccountStamp, recorded: Answer | undefined): AccountStamp {
  const editorId = recorded && 'done' in recorded ? recorded.done.editor_id : undefined
  return typeof editorId === 'string' ? { ...stamp, editorId } : stamp
}
