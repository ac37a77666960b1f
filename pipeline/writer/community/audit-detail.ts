import { type AuditRow, listAuditRows } from '../../accounts/audit.ts'
import type { Accounts } from '../../accounts/store.ts'
import type { Database } from '../../store/database.ts'

/** A submission with what it changed, of an entry too, and by which ones it was taken back. */
export type AuditDetail = AuditRow & { reverted_by: string[] }

/** Loads everything that is known of a submission; null if there is none. */
export async function loadAuditDetail(
  { index, accounts }: { index: Database; accounts: Accounts },
  id: string,
): Promise<AuditDetail | null> {
  const [row] = listAuditRows(accounts.db, { id, limit: 1 })
  if (row === undefined) return null
  const changes = row.changes ?? (await loadEntryChanges(index, row.content.revision_id))
  const reverting = accounts.db.all<{ id: string }>(
    `select submission_id as id from submissions
     where reverts = $id and (answer->'done') is not null order by seq, rowid`,
    { id },
  )
  return { ...row, changes, reverted_by: reverting.map(row => row.id) }
}

/** Loads what a revision changed of its entry: the state before and after. */
async function loadEntryChanges(
  index: Database,
  revisionId: unknown,
): Promise<AuditRow['changes']> {
  if (typeof revisionId !== 'string') return null
  const rows = await index.all<{ is_after: boolean; state: Record<string, unknown> }>(
    `with made as (select entity, domain, revision_number from revisions
       where revision_id = $revisionId)
     select r.revision_number = made.revision_number as "is_after [boolean]", r.state from revisions r
     join made on r.entity = made.entity and r.domain = made.domain
       and r.revision_number in (made.revision_number, made.revision_number - 1)`,
    { revisionId },
  )
  if (rows.length === 0) return null
  const states = (isAfter: boolean) =>
    rows.filter(row => row.is_after === isAfter).map(({ state }) => state)
  return [{ table: 'entries', before: states(false), after: states(true) }]
}
