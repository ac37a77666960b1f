import { hashCanonicalJson } from '../core/canonical-json.ts'
import type { Answer, Operation } from '../model/submission.ts'
import type { Sqlite } from '../store/sqlite.ts'
import { type Review, submitReview } from './reviews.ts'
import type { AccountStamp } from './stamp.ts'

/**
 * Submits a save for review before it is shown. The stored answer contains `review_id`, by which the index
 * knows that the entry is pending, also when the save is delivered again.
 */
export function submitEntryReview(
  db: Sqlite,
  operation: Operation,
  answer: Answer,
  doubt: string,
  stamp: AccountStamp,
): Answer {
  if (!('done' in answer)) return answer
  if (operation.op !== 'brand.save' && operation.op !== 'property.save') return answer
  const { op, domain, editor, revision_id, ...details } = operation
  const entity = op === 'brand.save' ? 'brand' : 'property'
  const payload = { entity, domain, doubt, ...omitContact(details) }
  const review_id = submitReview(
    db,
    {
      review_id: revision_id,
      kind: 'entry',
      subject: `${entity} ${domain}`,
      submitted_by: String(answer.done.editor_id),
      org_id: editor.org_id,
      payload,
      digest: hashCanonicalJson(payload),
    },
    stamp,
  )
  return { ...answer, done: { ...answer.done, review_id } }
}

/** Removes the contact, which does not concern the reviewer of a name. */
function omitContact(details: object): object {
  const { contact: _, ...rest } = details as { contact?: unknown }
  return rest
}

/**
 * Decides the review of an entry; the index shows it, or keeps it hidden, in the same commit
 * (`listDecisionsSince`).
 */
export function decideEntry(_: Sqlite, { subject }: Review): Answer {
  const [entity, domain] = subject.split(' ')
  return { done: { entity, domain } }
}
