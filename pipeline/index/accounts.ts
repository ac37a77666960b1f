import { isoOf } from '../core/clock.ts'
import type { Answer, Submission } from '../model/submission.ts'
import { perform } from './accounts/perform.ts'
import type { Stamp } from './accounts/stamp.ts'
import { enrolmentsOf } from './accounts/stored-members.ts'
import { Database } from './duckdb.ts'
import { createTables } from './tables.ts'

/**
 * The private store: organizations, keys, members, requests. It is written before the index, and each
 * submission is remembered here with its answer, so that a second delivery changes nothing.
 */
export class Accounts {
  readonly db: Database

  private constructor(db: Database) {
    this.db = db
  }

  static async open(file: string): Promise<Accounts> {
    const db = await Database.open(file, { memoryLimit: '128MB', threads: 1 })
    await createTables(db, 'accounts')
    return new Accounts(db)
  }

  /**
   * Carries out submissions in their order; one refused does not hold up the others. `refused` are
   * those that the index cannot carry out, with the reason.
   */
  apply(
    submissions: readonly Submission[],
    stamp: Stamp,
    refused: ReadonlyMap<string, string> = new Map(),
  ): Promise<Map<string, Answer>> {
    return this.db.transaction(async () => {
      const answers = new Map<string, Answer>()
      for (const submission of submissions) {
        const { submission_id } = submission
        const reason = refused.get(submission_id)
        answers.set(
          submission_id,
          (await this.#known(submission_id)) ?? (await this.#carryOut(submission, stamp, reason)),
        )
      }
      return answers
    })
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

  async #known(submission_id: string): Promise<Answer | undefined> {
    const row = await this.db.one<{ answer: Answer }>(
      'select answer from submissions where submission_id = $submission_id',
      { submission_id },
    )
    return row?.answer
  }

  async #carryOut(
    { submission_id, operation }: Submission,
    stamp: Stamp,
    reason: string | undefined,
  ): Promise<Answer> {
    const answer =
      reason === undefined ? await perform(this.db, operation, stamp) : { refused: reason }
    await this.db.insert('submissions', [
      {
        submission_id,
        operation: operation.op,
        answer,
        submitted_at: isoOf(stamp.now),
        seq: stamp.seq,
      },
    ])
    return answer
  }
}
