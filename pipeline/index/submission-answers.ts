import type { Answer, Submission } from '../model/submission.ts'
import { ridsOf } from './contributions.ts'
import type { Database } from './duckdb.ts'
import { refusedBrands } from './refused-brands.ts'
import { refusedMerges } from './refused-merges.ts'
import { type JudgedSaves, judgeSaves } from './refused-saves.ts'
import { type Editing, findSaved, type Saved, savesIn } from './saves.ts'
import { refusedPlaces, type TakenDown } from './taken-down.ts'

/**
 * Submissions that the index cannot carry out as it stands before this commit, and saves that a
 * person should look at first: why, by submission.
 */
export async function judged(
  submissions: readonly Submission[],
  known: Parameters<typeof judgeSaves>[1] & { takenDown: TakenDown },
): Promise<JudgedSaves> {
  const merges = await refusedMerges(known.index, submissions)
  const { refused, doubts } = await judgeSaves(submissions, known)
  for (const [id, refusal] of await refusedBrands(submissions, known)) refused.set(id, refusal)
  for (const [id, reason] of merges) refused.set(id, { refused: reason })
  for (const id of refusedPlaces(submissions, known.takenDown)) {
    refused.set(id, { refused: 'the domain was taken down' })
  }
  return { refused, doubts }
}

/**
 * Answers with what only the index knows once it is committed, now or when the submission came
 * before: the number of a save, and the property that each contributed identifier has. `just` are the
 * saves of this commit.
 */
export async function completed(
  index: Database,
  submissions: readonly Submission[],
  answers: ReadonlyMap<string, Answer>,
  just: ReadonlyMap<string, Saved>,
): Promise<Map<string, Answer>> {
  const ids = savesIn(submissions).map(({ revision_id }) => revision_id)
  const before = ids.filter(id => !just.has(id))
  const saved = new Map([...just, ...(await findSaved(index, before))])
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

/** What the answers of the accounts tell of saves, by their revisions. */
export function editingIn(answers: ReadonlyMap<string, Answer>): Editing {
  const editors = new Map<string, string>()
  const waiting = new Set<string>()
  for (const answer of answers.values()) {
    if (!('done' in answer)) continue
    const { revision_id, editor_id, review_id } = answer.done as Record<string, string>
    if (revision_id === undefined || editor_id === undefined) continue
    editors.set(revision_id, editor_id)
    if (review_id !== undefined) waiting.add(revision_id)
  }
  return { editors, waiting }
}
