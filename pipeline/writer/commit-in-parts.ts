import type { Observation } from '../model/observation.ts'
import type { Answer, Submission } from '../model/submission.ts'
import { bisect } from '../store/bisect.ts'
import type { Batch } from './apply-batch.ts'

/** A commit that every store has. */
export interface Committed {
  seq: number
  events: number
  /** Answers to submissions, by their ids. */
  answers: Map<string, Answer>
}

/**
 * Commits a batch. Operations after a take-down, or after its end, are judged by it, so the commit
 * is split there: the answers are the same whether they came together or not.
 */
export async function commitSplitAtTakedowns(
  batch: Batch,
  commit: (batch: Batch) => Promise<Committed>,
): Promise<Committed> {
  const [first = [], ...later] = splitAtTakedowns(batch.submissions)
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

function splitAtTakedowns(submissions: readonly Submission[]): (readonly Submission[])[] {
  const end = submissions.findIndex(({ operation }) => isTakedown(operation.op)) + 1
  if (end === 0 || end === submissions.length) return [submissions]
  return [submissions.slice(0, end), ...splitAtTakedowns(submissions.slice(end))]
}

function isTakedown(op: Submission['operation']['op']): boolean {
  return op === 'domain.takedown' || op === 'domain.readmit'
}

/**
 * Commits a batch. When it cannot be applied, its halves are committed instead, down to the one
 * observation at fault, which is committed as `poison`: recorded, without stopping the others.
 */
export async function commitBisecting(
  batch: Batch,
  commit: (batch: Batch) => Promise<Committed>,
): Promise<Committed> {
  const done: Committed[] = []
  const commitPart = async (part: Partial<Batch>) => {
    // Submissions go with the first part that is committed.
    const submissions = done.length === 0 ? batch.submissions : []
    done.push(await commit({ ...batch, ...part, submissions }))
  }
  await bisect(
    batch.observations,
    observations => commitPart({ observations }),
    (observation: Observation, { message }) =>
      commitPart({ observations: [], poison: [{ observation, reason: message.slice(0, 500) }] }),
  )
  const events = done.reduce((sum, part) => sum + part.events, 0)
  return { ...done.at(-1)!, events, answers: done[0]!.answers }
}
