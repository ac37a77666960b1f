import { hashCanonicalJson } from '../core/digest.ts'
import type { Answer, Operation } from '../model/submission.ts'
import type { Database } from '../store/duckdb.ts'
import { type Review, submitReview } from './reviews.ts'
import type { Stamp } from './stamp.ts'

/** The decision about an entry that waited for review. */
export interface EntryDecision {
  entity: 'brand' | 'property'
  domain: string
  status: 'live' | 'rejected'
}

/**
 * Submits a save for review before it is shown. The stored answer names the review: by that the index knows
 * that its entry waits, also when the save is delivered again.
 */
export async function submitEntryReview(
  db: Database,
  operation: Operation,
  answer: Answer,
  doubt: string,
  stamp: Stamp,
): Promise<Answer> {
  if (!('done' in answer)) return answer
  if (operation.op !== 'brand.save' && operation.op !== 'property.save') return answer
  const { op, domain, editor, revision_id, ...details } = operation
  const entity = op === 'brand.save' ? 'brand' : 'property'
  const payload = { entity, domain, doubt, ...toShown(details) }
  const review_id = await submitReview(
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
function toShown(details: object): object {
  const { contact: _, ...rest } = details as { contact?: unknown }
  return rest
}

/**
 * Decides the review of an entry; the index shows it, or keeps it hidden, in the same commit
 * (`listDecisionsSince`).
 */
export async function decideEntry(_: Database, { subject }: Review): Promise<Answer> {
  const [entity, domain] = subject.split(' ')
  return { done: { entity, domain } }
}

/**
 * Lists decisions about entries after one commit and up to another, if one is given; includes those that a
 * crash kept from the index.
 */
export async function listDecisionsSince(
  db: Database,
  seq: number,
  last = Number.MAX_SAFE_INTEGER,
): Promise<EntryDecision[]> {
  if (
    (await db.written.memo('last decision', '', ['reviews'], () => findLastDecision(db))) <= seq
  ) {
    return []
  }
  const rows = await db.all<{ subject: string; status: string }>(
    `select subject, status from reviews
     where kind = 'entry' and status != 'pending' and seq > $seq and seq <= $last order by seq, subject`,
    { seq, last },
  )
  return rows.map(({ subject, status }) => {
    const [entity, domain] = subject.split(' ') as [EntryDecision['entity'], string]
    return { entity, domain, status: status === 'approved' ? 'live' : 'rejected' }
  })
}

/** Finds the last commit that decided about an entry; most commits decide nothing. */
async function findLastDecision(db: Database): Promise<number> {
  const row = await db.one<{ seq: number }>(
    `select coalesce(max(seq), 0) as seq from reviews where kind = 'entry' and status != 'pending'`,
  )
  return row!.seq
}
