import type { Answer, Refusal, Submission } from '../model/submission.ts'
import { ridsOf } from './contributions.ts'
import type { Database } from './duckdb.ts'
import { refusedMerges } from './merges.ts'
import { refusedSaves } from './refused-saves.ts'
import { findSaved, savesIn } from './saves.ts'
import { refusedPlaces, type TakenDown } from './taken-down.ts'

/** Submissions that the index cannot carry out, as it stands before this commit, and why. */
export async function refusalsOf(
  submissions: readonly Submission[],
  known: Parameters<typeof refusedSaves>[1] & { takenDown: TakenDown },
): Promise<Map<string, Refusal>> {
  const merges = await refusedMerges(known.index, submissions)
  const refused = new Map<string, Refusal>(await refusedSaves(submissions, known))
  for (const [id, reason] of merges) refused.set(id, { refused: reason })
  for (const id of refusedPlaces(submissions, known.takenDown)) {
    refused.set(id, { refused: 'the domain was taken down' })
  }
  return refused
}

/**
 * Answers with what only the index knows once it is committed, now or when the submission came
 * before: the number of a save, and the property that each contributed identifier has.
 */
export async function completed(
  index: Database,
  submissions: readonly Submission[],
  answers: ReadonlyMap<string, Answer>,
): Promise<Map<string, Answer>> {
  const ids = savesIn(submissions).map(({ revision_id }) => revision_id)
  const saved = await findSaved(index, ids)
  const complete = new Map(answers)
  for (const { submission_id, operation } of submissions) {
    const answer = answers.get(submission_id)
    if (answer === undefined || !('done' in answer)) continue
    const more =
      operation.op === 'property.contribute'
        ? { rids: Object.fromEntries(await ridsOf(index, operation)) }
        : saved.get(String(answer.done.revision_id))
    if (more) complete.set(submission_id, { ...answer, done: { ...answer.done, ...more } })
  }
  return complete
}

/** The public ids of those who saved, by revision. */
export function editorsIn(answers: ReadonlyMap<string, Answer>): Map<string, string> {
  const editors = new Map<string, string>()
  for (const answer of answers.values()) {
    if (!('done' in answer)) continue
    const { revision_id, editor_id } = answer.done as Record<string, string>
    if (revision_id !== undefined && editor_id !== undefined) editors.set(revision_id, editor_id)
  }
  return editors
}
