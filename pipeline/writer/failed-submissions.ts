import type { Accounts } from '../accounts/store.ts'
import { type Instant, toIso } from '../core/clock.ts'
import type { Log } from '../core/log.ts'
import type { Answer, Refusal, Submission } from '../model/submission.ts'
import type { Database } from '../store/database.ts'

const FAILED: Refusal = {
  refused: 'an internal error kept the registry from carrying this out; it is logged',
  error: 'internal_error',
}
const KIND = 'submission'

/**
 * Refuses a submission that the stores cannot take, and quarantines it. The accounts remember the answer,
 * so that a repeated submission gets the same one. One that was carried out before keeps its own answer.
 */
export async function failSubmission(
  { index, accounts, log }: { index: Database; accounts: Accounts; log: Log },
  submission: Submission,
  { message: reason }: Error,
  { now, seq }: { now: Instant; seq: number },
): Promise<Answer> {
  const { submission_id: id, operation } = submission
  const answer = await index.transaction(async () => {
    await index.insert('quarantine', [
      { kind: KIND, location: id, observed_at: toIso(now), reason: reason.slice(0, 500), seq },
    ])
    return accounts.refuse(submission, FAILED, { now, seq })
  })
  log.error({ submission: id, operation: operation.op, reason }, 'submission set aside')
  return answer
}
