import { digestOf } from '../../core/digest.ts'
import type { Answer, Operation } from '../../model/submission.ts'
import type { Database } from '../duckdb.ts'
import { handIn, type Review } from './reviews.ts'
import type { Stamp } from './stamp.ts'

/** What was decided about an entry that waited for a person. */
export interface EntryDecision {
  entity: 'brand' | 'property'
  domain: string
  status: 'live' | 'rejected'
}

/**
 * Lets a person look at a save before it is shown. The review is named in the answer, which is kept:
 * by that the index knows, also when the save is delivered again, that its entry waits.
 */
export async function letReview(
  db: Database,
  operation: Operation,
  answer: Answer,
  doubt: string,
  stamp: Stamp,
): Promise<Answer> {
  if (!('done' in answer)) return answer
  if (operation.op !== 'brand.save' && operation.op !== 'property.save') return answer
  const { op, domain, editor, revision_id, ...told } = operation
  const entity = op === 'brand.save' ? 'brand' : 'property'
  const payload = { entity, domain, doubt, ...shown(told) }
  const review_id = await handIn(
    db,
    {
      ...{ review_id: revision_id, kind: 'entry', subject: `${entity} ${domain}` },
      ...{ submitted_by: String(answer.done.editor_id), org_id: editor.org_id },
      ...{ payload, digest: digestOf(payload) },
    },
    stamp,
  )
  return { ...answer, done: { ...answer.done, review_id } }
}

/** Whom to write to is nobody's affair who looks at a name. */
function shown(told: object): object {
  const { contact: _, ...rest } = told as { contact?: unknown }
  return rest
}

/** The index shows the entry, or leaves it hidden, in the same commit (`decisionsSince`). */
export async function decideEntry(_: Database, { subject }: Review): Promise<Answer> {
  const [entity, domain] = subject.split(' ')
  return { done: { entity, domain } }
}

/**
 * What was decided of entries after a commit, and up to another one where it is named: what a crash
 * kept from the index is in it.
 */
export async function decisionsSince(
  db: Database,
  seq: number,
  last = Number.MAX_SAFE_INTEGER,
): Promise<EntryDecision[]> {
  if ((await db.written.recall('last decision', '', ['reviews'], () => lastDecision(db))) <= seq) {
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

/** The last commit in which anything was decided of an entry; most commits decide nothing. */
async function lastDecision(db: Database): Promise<number> {
  const row = await db.one<{ seq: number }>(
    `select coalesce(max(seq), 0) as seq from reviews where kind = 'entry' and status != 'pending'`,
  )
  return row!.seq
}
