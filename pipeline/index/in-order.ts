import type { Submission } from '../model/submission.ts'
import type { Batch } from './apply.ts'
import type { Committed } from './sequencer.ts'

/**
 * Commits a batch. What is asked for behind a take-down, or behind its end, is judged by it, so that
 * ends a commit: whoever asks is told the same whether both came together or not.
 */
export async function commitInOrder(
  batch: Batch,
  commit: (batch: Batch) => Promise<Committed>,
): Promise<Committed> {
  const [first = [], ...later] = untilTurns(batch.submissions)
  let done = await commit({ ...batch, submissions: first })
  for (const submissions of later) {
    const { actor } = batch
    const next = await commit({ observations: [], submissions, ...(actor && { actor }) })
    done = {
      seq: next.seq,
      events: done.events + next.events,
      answers: new Map([...done.answers, ...next.answers]),
    }
  }
  return done
}

function untilTurns(submissions: readonly Submission[]): (readonly Submission[])[] {
  const end = submissions.findIndex(({ operation }) => isTurn(operation.op)) + 1
  if (end === 0 || end === submissions.length) return [submissions]
  return [submissions.slice(0, end), ...untilTurns(submissions.slice(end))]
}

function isTurn(op: Submission['operation']['op']): boolean {
  return op === 'domain.takedown' || op === 'domain.readmit'
}
