import { isoOf } from '../core/clock.ts'
import type { Answer, Refusal, Submission } from '../model/submission.ts'
import { auditOf } from './accounts/audit.ts'
import { type RowChange, watching } from './accounts/changed-rows.ts'
import { letReview } from './accounts/entry-reviews.ts'
import { revokedKeys } from './accounts/organizations.ts'
import { perform } from './accounts/perform.ts'
import type { Stamp } from './accounts/stamp.ts'
import { enrolmentsOf } from './accounts/stored-members.ts'
import { Database } from './duckdb.ts'
import { oneOf } from './one-of.ts'
import type { JudgedSaves } from './refused-saves.ts'
import { createTables } from './tables.ts'

/** Not remembered: under an Idempotency-Key another credential may ask for the same again. */
const revoked: Refusal = { refused: 'the credential is not valid', error: 'unauthenticated' }

const unjudged: JudgedSaves = { refused: new Map(), doubts: new Map() }

/**
 * The private store: organizations, keys, members, requests. It is written before the index, and each
 * submission is remembered here with its answer, so that a second delivery changes nothing.
 */
export class Accounts {
  readonly db: Database
  /** Ids of the keys that count no more. */
  readonly #revoked: Set<string>
  #fresh: ReadonlySet<string> = new Set()

  private constructor(db: Database, revoked: readonly string[]) {
    this.db = db
    this.#revoked = new Set(revoked)
  }

  static async open(file: string): Promise<Accounts> {
    const db = await Database.open(file, { memoryLimit: '128MB', threads: 1 })
    await createTables(db, 'accounts')
    return new Accounts(db, await revokedKeys(db))
  }

  /**
   * Carries out submissions in their order; one refused does not hold up the others. What waited here
   * while its key was revoked is refused as if it had come after that. `judge` tells those that the index cannot carry out, with the reason; it is asked while the accounts are looked at.
   */
  apply(
    submissions: readonly Submission[],
    stamp: Stamp,
    judge: () => Promise<JudgedSaves> = async () => unjudged,
  ): Promise<Map<string, Answer>> {
    return this.db.transaction(async () => {
      const [{ refused, doubts }, answers] = await Promise.all([judge(), this.#known(submissions)])
      const fresh = submissions.filter(({ submission_id }) => !answers.has(submission_id))
      this.#fresh = new Set(fresh.map(({ submission_id }) => submission_id))
      const rows: object[] = []
      for (const submission of submissions) {
        const { submission_id } = submission
        if (answers.has(submission_id)) continue
        if (this.#isRevoked(submission)) {
          answers.set(submission_id, revoked)
          continue
        }
        const known = { refusal: refused.get(submission_id), doubt: doubts.get(submission_id) }
        const { answer, changes } = await this.#carryOut(submission, stamp, known)
        answers.set(submission_id, answer)
        this.#follow(submission, answer)
        const submitted_at = isoOf(stamp.now)
        rows.push({ ...auditOf(submission), answer, changes, submitted_at, seq: stamp.seq })
      }
      await this.db.insert('submissions', rows)
      return answers
    })
  }

  /** Submissions that were carried out last for the first time: nothing that is made from them exists. */
  get fresh(): ReadonlySet<string> {
    return this.#fresh
  }

  /**
   * The agents that everybody may see of each member that these submissions are about: all that the
   * index is told of members. Read from what stands, not from the answers, since an old submission
   * may be delivered again after a newer one.
   */
  enrolments(submissions: readonly Submission[], answers: ReadonlyMap<string, Answer>) {
    const touched = submissions.flatMap(({ submission_id, operation: { op } }) => {
      const answer = answers.get(submission_id)
      return op.startsWith('member.') && answer && 'done' in answer ? [answer.done.org_id] : []
    })
    return enrolmentsOf(this.db, [...new Set(touched as string[])])
  }

  /** The same of every member. */
  async allEnrolments() {
    const members = await this.db.all<{ org_id: string }>('select org_id from members')
    return enrolmentsOf(
      this.db,
      members.map(({ org_id }) => org_id),
    )
  }

  close(): void {
    this.db.close()
  }

  #isRevoked({ by }: Submission): boolean {
    return by?.kind === 'key' && this.#revoked.has(by.id)
  }

  #follow({ operation }: Submission, answer: Answer): void {
    if (operation.op === 'key.revoke' && 'done' in answer) this.#revoked.add(operation.key_id)
  }

  async #known(submissions: readonly Submission[]): Promise<Map<string, Answer>> {
    const ids = submissions.map(({ submission_id }) => submission_id)
    const { condition, keys } = oneOf('submission_id', ids)
    const rows = await this.db.all<{ submission_id: string; answer: Answer }>(
      `select submission_id, answer from submissions where ${condition}`,
      keys,
      'kept',
    )
    return new Map(rows.map(({ submission_id, answer }) => [submission_id, answer]))
  }

  async #carryOut(
    { operation, digest }: Submission,
    stamp: Stamp,
    { refusal, doubt }: { refusal: Refusal | undefined; doubt: string | undefined },
  ): Promise<{ answer: Answer; changes: RowChange[] | null }> {
    const came = refusal
      ? { answer: refusal, changes: null }
      : await watching(this.db, operation, () => perform(this.db, operation, stamp))
    const answer =
      doubt === undefined
        ? came.answer
        : await letReview(this.db, operation, came.answer, doubt, stamp)
    return { answer: digest === undefined ? answer : { ...answer, digest }, changes: came.changes }
  }
}
