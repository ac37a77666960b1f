import type { Stamp } from '../diff/rows.ts'
import type { Submission } from '../model/submission.ts'
import { openRequest } from './crawl-requests.ts'
import type { Database } from './duckdb.ts'
import { addDomains, makeDue, type Newcomer } from './frontier.ts'
import { oneOf } from './one-of.ts'
import type { TakenDown } from './taken-down.ts'

/** How much of the frontier may fill up with names that strangers looked up. */
const OPEN_SHARE = 0.9

/**
 * The submissions that were not done before: each is carried out once. The index is asked for those
 * alone that are not `fresh`: it knows none that the accounts do not know.
 */
export async function submissionsToDo(
  db: Database,
  submissions: readonly Submission[],
  fresh: ReadonlySet<string> = new Set(),
): Promise<Submission[]> {
  const once = new Map(submissions.map(submission => [submission.submission_id, submission]))
  const ids = [...once.keys()].filter(id => !fresh.has(id))
  if (ids.length === 0) return [...once.values()]
  const { condition, keys } = oneOf('submission_id', ids)
  const done = await db.all<{ id: string }>(
    `select submission_id as id from submissions where ${condition}`,
    keys,
    'kept',
  )
  for (const { id } of done) once.delete(id)
  return [...once.values()]
}

/** Remembers that these are done. */
export function noteDone(
  db: Database,
  submissions: readonly Submission[],
  { seq }: Stamp,
): Promise<void> {
  return db.insert(
    'submissions',
    submissions.map(({ submission_id }) => ({ submission_id, seq })),
  )
}

/** Domains that people asked for join the frontier, or are due again. */
export async function takeDomains(
  db: Database,
  submissions: readonly Submission[],
  { now, seq, frontierMax, takenDown }: Stamp & { frontierMax: number; takenDown: TakenDown },
): Promise<void> {
  for (const { operation } of submissions) {
    if (operation.op === 'domains.add') {
      const { why = 'given' } = operation
      const added = operation.domains.map((domain): Newcomer => ({ domain, why }))
      const max = why === 'demanded' ? Math.floor(frontierMax * OPEN_SHARE) : frontierMax
      await addDomains(db, added, { now, seq, max, takenDown })
      if (operation.again) await makeDue(db, operation.domains, now)
    } else if (operation.op === 'crawl.request') {
      const asked = [{ domain: operation.domain, why: 'requested' as const }]
      await addDomains(db, asked, { now, seq, max: frontierMax + 1 })
      await openRequest(db, operation, { now, seq })
    } else if (operation.op === 'domain.readmit') {
      const back = [{ domain: operation.domain, why: 'given' as const }]
      await addDomains(db, back, { now, seq, max: frontierMax + 1, takenDown })
    }
  }
}
