import type { Publications } from './accounts/publications.ts'
import { recordChanges } from './changes.ts'
import { type Database, listOf } from './duckdb.ts'
import { addRevisions } from './revisions.ts'

/** Shows policies as they were saved, and no longer those that were rejected. */
export async function takePolicies(
  db: Database,
  { policies, withdrawn, revisions }: Publications,
  { seq }: { seq: number },
): Promise<void> {
  const touched = [...policies.map(({ policy_id }) => policy_id), ...withdrawn]
  if (touched.length === 0) return
  await db.run(`delete from policies where policy_id in (select unnest(${listOf('$touched')}))`, {
    touched: JSON.stringify(touched),
  })
  await db.run(
    `delete from revisions where entity = 'policy' and (
       domain in (select unnest(${listOf('$withdrawn')}))
       or domain || ' ' || revision_number in (select unnest(${listOf('$saved')})))`,
    {
      withdrawn: JSON.stringify(withdrawn),
      saved: JSON.stringify(revisions.map(row => `${row.domain} ${row.revision_number}`)),
    },
  )
  await db.insert(
    'policies',
    policies.map(row => ({ ...row, seq })),
  )
  await addRevisions(
    db,
    seq,
    revisions.map(row => ({ ...row, seq })),
  )
  await recordChanges(db, seq, { policy: touched })
}
