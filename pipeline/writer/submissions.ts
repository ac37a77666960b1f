import type { Stamp } from '../diff/stamp.ts'
import type { OperationOf, Submission } from '../model/submission.ts'
import type { Database } from '../store/duckdb.ts'
import { inList } from '../store/in-list.ts'
import type { TakenDown } from '../store/takedown-set.ts'
import { openRequest } from './crawl/crawl-requests.ts'
import { addDomains, makeDue } from './crawl/frontier.ts'
import { type Admitting, admitDemanded } from './crawl/mentions.ts'
import type { Newcomer } from './crawl/newcomer.ts'

/** Share of the frontier that looked-up names may fill. */
export const OPEN_SHARE = 0.9

/**
 * Finds submissions that were not done before: each is carried out once. The index is queried only for
 * those that are not `fresh`: it knows none that the accounts do not know.
 */
export async function findSubmissionsToDo(
  db: Database,
  submissions: readonly Submission[],
  fresh: ReadonlySet<string> = new Set(),
): Promise<Submission[]> {
  const once = new Map(submissions.map(submission => [submission.submission_id, submission]))
  const ids = [...once.keys()].filter(id => !fresh.has(id))
  if (ids.length === 0) return [...once.values()]
  const { condition, keys } = inList('submission_id', ids)
  const done = await db.all<{ id: string }>(
    `select submission_id as id from submissions where ${condition}`,
    keys,
    'cached',
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

export const domainOperations = ['domains.add', 'crawl.request', 'domain.readmit'] as const

/** Applies requested domains: they join the frontier, or are due again. */
export async function applyDomains(
  db: Database,
  operations: readonly OperationOf<(typeof domainOperations)[number]>[],
  admitting: Stamp & Admitting & { frontierMax: number; takenDown: TakenDown },
): Promise<void> {
  const { now, seq, frontierMax, takenDown } = admitting
  for (const operation of operations) {
    if (operation.op === 'domains.add') {
      const { why = 'given' } = operation
      const isOpen = why === 'demanded' && !operation.again
      const domains = isOpen ? admitDemanded(operation.domains, admitting) : operation.domains
      const added = domains.map((domain): Newcomer => ({ domain, why }))
      const max = why === 'demanded' ? Math.floor(frontierMax * OPEN_SHARE) : frontierMax
      await addDomains(db, added, { now, seq, max, takenDown })
      if (operation.again) await makeDue(db, operation.domains, now)
    } else if (operation.op === 'crawl.request') {
      const asked = [{ domain: operation.domain, why: 'requested' as const }]
      await addDomains(db, asked, { now, seq, max: frontierMax + 1 })
      await openRequest(db, operation, { now, seq })
    } else {
      const back = [{ domain: operation.domain, why: 'given' as const }]
      await addDomains(db, back, { now, seq, max: frontierMax + 1, takenDown })
    }
  }
}
