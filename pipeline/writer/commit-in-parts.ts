import type { Instant } from '../core/clock.ts'
import type { Observation } from '../model/observation.ts'
import type { Answer, Submission } from '../model/submission.ts'
import { bisect, isStatementFault } from '../store/bisect.ts'
import type { Batch } from './apply-context.ts'

/** A commit that every store has. */
export interface Committed {
  seq: number
  /** Time that it counts as made at. */
  at: Instant
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
    const { actor, recorded } = batch
    const how = { ...(actor && { actor }), ...(recorded && { recorded }) }
    const next = await commit({ observations: [], submissions, ...how })
    done = joinParts([done, next])
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

/** Ways to commit the parts of a batch. */
interface CommitActions {
  commit(batch: Batch): Promise<Committed>
  /** Refuses a submission that cannot be carried out, for good. */
  fail(submission: Submission, error: Error): Promise<Committed>
}

/**
 * Commits a batch. When it cannot be applied, its halves are committed instead, down to the one
 * observation at fault, which is committed as `poison`: recorded, without stopping the others; or to the
 * one submission on which SQLite fails, which is refused: it would come again, and fail again, for ever.
 * Either is tried once more alone before that.
 */
export async function commitBisecting(batch: Batch, committing: CommitActions): Promise<Committed> {
  const { commit } = committing
  if (batch.observations.length === 0) return commitSubmissions(batch, committing)
  const done: Committed[] = []
  const commitPart = async (part: Partial<Batch>) => {
    // Submissions go with the first part that is committed.
    const submissions = done.length === 0 ? batch.submissions : []
    done.push(await commit({ ...batch, ...part, submissions }))
  }
  const commitSome = (observations: readonly Observation[]) => commitPart({ observations })
  const setAside = (observation: Observation, { message }: Error) =>
    commitPart({ observations: [], poison: [{ observation, reason: message.slice(0, 500) }] })
  await bisect(batch.observations, commitSome, observation =>
    bisect([observation], commitSome, setAside),
  )
  return joinParts(done)
}

async function commitSubmissions(
  batch: Batch,
  { commit, fail }: CommitActions,
): Promise<Committed> {
  const done: Committed[] = []
  const commitPart = async (submissions: readonly Submission[]) => {
    done.push(await commit({ ...batch, submissions }))
  }
  const tryAgain = (submission: Submission) =>
    bisect(
      [submission],
      commitPart,
      async (_, error) => done.push(await fail(submission, error)),
      isStatementFault,
    )
  await bisect(batch.submissions, commitPart, tryAgain, isStatementFault)
  return joinParts(done)
}

function joinParts(parts: readonly Committed[]): Committed {
  const last = parts.at(-1)
  if (last === undefined) throw new Error('nothing was committed')
  return {
    seq: last.seq,
    at: last.at,
    events: parts.reduce((sum, part) => sum + part.events, 0),
    answers: new Map(parts.flatMap(({ answers }) => [...answers])),
  }
}
