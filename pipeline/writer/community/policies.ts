import type { Publications } from '../../accounts/publications.ts'
import { recordChanges } from '../../store/commit-notes.ts'
import type { Database } from '../../store/database.ts'

/** Applies saved policies, and removes those that were rejected. */
export async function applyPolicies(
  db: Database,
  { policies, withdrawn, revisions }: Publications,
  { seq }: { seq: number },
): Promise<void> {
  const touched = [...policies.map(({ policy_id }) => policy_id), ...withdrawn]
  if (touched.length === 0) return
  await db.write(
    'delete from',
    'shown_policies',
    `where policy_id in (select value from json_each($touched))`,
    {
      touched: JSON.stringify(touched),
    },
  )
  await db.write(
    'delete from',
    'revisions',
    `where entity = 'policy' and (
       domain in (select value from json_each($withdrawn))
       or domain || ' ' || revision_number in (select value from json_each($saved)))`,
    {
      withdrawn: JSON.stringify(withdrawn),
      saved: JSON.stringify(revisions.map(row => `${row.domain} ${row.revision_number}`)),
    },
  )
  await db.insert(
    'shown_policies',
    policies.map(row => ({ ...row, seq })),
  )
  await db.insert(
    'revisions',
    revisions.map(row => ({ ...row, seq })),
  )
  await recordChanges(db, seq, { policy: touched })
}
