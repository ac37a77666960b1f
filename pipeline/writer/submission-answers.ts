import {
  type Answer,
  type Refusal,
  type SaveVerdicts,
  type Submission,
  selectSubmissions,
} from '../model/submission.ts'
import type { Database } from '../store/database.ts'
import { findRefusedBrands } from './community/brand-submission-rules.ts'
import { findRids } from './community/contributions.ts'
import { findRefusedDomains } from './community/domain-rules.ts'
import { findRefusedEnrichments } from './community/enrichment-rules.ts'
import type { Saved } from './community/entry-states.ts'
import { judgeSaves } from './community/save-rules.ts'
import { type EditContext, findSaved, listEdits, saveNames } from './community/saves.ts'
import { findRefusedMerges } from './entities/refused-merges.ts'
import { refuseTakenDown } from './takedown/refused-places.ts'
import type { TakenDown } from './takedown/takedown-list.ts'

/**
 * Judges submissions against the index before this commit: returns refusals, and saves that a
 * moderator should review, with reasons.
 */
export async function judgeSubmissions(
  submissions: readonly Submission[],
  known: Parameters<typeof judgeSaves>[1] & { takenDown: TakenDown; enrichedBrands: number },
): Promise<SaveVerdicts> {
  const merges = selectSubmissions(submissions, 'property.merge', 'collection.merge')
  const enrichments = selectSubmissions(submissions, 'brand.enrich')
  const saves = selectSubmissions(submissions, ...saveNames)
  const brands = selectSubmissions(submissions, 'brand.submit')
  const domains = selectSubmissions(submissions, 'organization.domain.add')
  const { doubts, ...judged } = saves.length > 0 ? await judgeSaves(saves, known) : nothingJudged
  const refused = new Map<string, Refusal>([
    ...judged.refused,
    ...(brands.length > 0 ? await findRefusedBrands(brands, known) : []),
    ...(enrichments.length > 0 ? await findRefusedEnrichments(enrichments, known) : []),
    ...(domains.length > 0 ? await findRefusedDomains(domains, known) : []),
  ])
  if (merges.length > 0) {
    const reasons = await findRefusedMerges(known.index, merges)
    for (const [id, reason] of reasons) refused.set(id, { refused: reason })
  }
  if (known.takenDown.isEmpty) return { refused, doubts }
  const takenDown = refuseTakenDown(submissions, known.takenDown)
  return {
    refused: new Map([...refused, ...takenDown]),
    doubts,
    forgotten: new Set(takenDown.keys()),
  }
}

/**
 * Judges submissions as they were judged before, by the answers that they have got: the files that decided then
 * may not be known anymore. A merge of records that the index lacks stays refused.
 */
export function repeatVerdicts(
  submissions: readonly Submission[],
  judged: SaveVerdicts,
  recorded: ReadonlyMap<string, Answer>,
): SaveVerdicts {
  const refused = new Map<string, Refusal>()
  const doubts = new Map<string, string>()
  for (const { submission_id: id, operation } of submissions) {
    const answer = recorded.get(id)
    const isMerge = operation.op === 'property.merge' || operation.op === 'collection.merge'
    const refusal =
      answer === undefined || isMerge
        ? judged.refused.get(id)
        : 'refused' in answer
          ? answer
          : undefined
    if (refusal) refused.set(id, refusal)
    const isDoubted = answer && 'done' in answer ? answer.done.review_id : judged.doubts.has(id)
    if (isDoubted) doubts.set(id, judged.doubts.get(id) ?? 'it was reviewed before')
  }
  return { refused, doubts, forgotten: judged.forgotten }
}

const nothingJudged: SaveVerdicts = { refused: new Map(), doubts: new Map() }

/**
 * Answers with what only the index knows once it is committed, now or when the submission came
 * before: the number of a save, and the property that each contributed identifier has. `just` are the
 * saves of this commit.
 */
export async function completeAnswers(
  index: Database,
  submissions: readonly Submission[],
  answers: ReadonlyMap<string, Answer>,
  just: ReadonlyMap<string, Saved>,
): Promise<Map<string, Answer>> {
  const ids = listEdits(submissions).map(({ revision_id }) => revision_id)
  const before = ids.filter(id => !just.has(id))
  const saved = new Map([...just, ...(await findSaved(index, before))])
  const complete = new Map(answers)
  for (const { submission_id, operation } of submissions) {
    const answer = answers.get(submission_id)
    if (answer === undefined || !('done' in answer)) continue
    const more =
      operation.op === 'property.contribute'
        ? { rids: Object.fromEntries(await findRids(index, operation)) }
        : saved.get(String(answer.done.revision_id))
    if (more) complete.set(submission_id, { ...answer, done: { ...answer.done, ...more } })
  }
  return complete
}

/** Reads the editing facts of saves from the answers of the accounts, by revision. */
export function readEditing(answers: ReadonlyMap<string, Answer>): EditContext {
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
