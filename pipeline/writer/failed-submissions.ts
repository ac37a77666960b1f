import type { Accounts } from '../accounts/store.ts'
import { type Instant, toIso } from '../core/clock.ts'
import type { Log } from '../core/log.ts'
import type { Answer, Submission } from '../model/submission.ts'
import type { Database } from '../store/database.ts'

const FAILED: Answer = {
  refused: 'an internal error kept the registry from carrying this out; it is logged',
  error: 'internal_error',
}
const KIND = 'submission'

/**
 * Refuses a submission that the stores cannot take, and quarantines it. The accounts remember the answer,
 * so that a repeated submission gets the same one. If the index has carried it out, its own answer counts.
 */
export async function failSubmission(
  { index, accounts, log }: { index: Database; accounts: Accounts; log: Log },
  submission: Submission,
  { message: reason }: Error,
  { now, seq }: { now: Instant; seq: number },
): Promise<Answer> {
  const { submission_id: id, operation } = submission
  const answer = accounts.replaceAnswer(submission, FAILED, { now, seq })
  await index.insert('quarantine', [
    { kind: KIND, location: id, observed_at: toIso(now), reason: reason.slice(0, 500), seq },
  ])
  log.error({ submission: id, operation: operation.op, reason }, 'submission set aside')
  return answer ?? FAILED
}
