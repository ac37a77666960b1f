import { isoOf } from '../core/clock.ts'
import { authorizationEvents } from '../diff/authorization-events.ts'
import type { Stamp } from '../diff/rows.ts'
import type { EventDraft } from '../model/event.ts'
import type { AuthorizationRow } from '../model/rows.ts'
import { aliasesOf } from './aliases.ts'
import { recordChanges } from './changes.ts'
import { type Database, listOf } from './duckdb.ts'
import { deleteRows } from './rows.ts'
import { elsewhereKey } from './serving-keys.ts'

/**
 * Grants that still reach an alias reach the canonical property now: those of publishers whose files
 * lead nowhere at present, so that nothing was derived again.
 */
export async function moveGrants(
  db: Database,
  aliases: readonly string[],
  stamp: Stamp,
): Promise<EventDraft[]> {
  if (aliases.length === 0) return []
  const leads = await aliasesOf(db, 'property', aliases)
  const old = await db.all<AuthorizationRow>(
    `select * from authorizations
     where list_has_any(property_rids::varchar[], ${listOf('$aliases')}) order by entry, id`,
    { aliases: JSON.stringify(aliases) },
  )
  const changed_at = isoOf(stamp.now)
  const rows = old.map(row => {
    const property_rids = [...new Set(row.property_rids.map(rid => leads.get(rid) ?? rid))].sort()
    return { ...row, property_rids, changed_at, seq: stamp.seq }
  })
  const ids = old.map(row => row.id)
  await deleteRows(db, 'authorizations', 'id', ids)
  await db.insert('authorizations', rows)
  const touched = [...new Set(old.map(row => row.publisher_domain))]
  const identifier = touched.flatMap(domain => aliases.map(rid => elsewhereKey(rid, domain)))
  await recordChanges(db, stamp.seq, { publisher: touched, identifier })
  return rows.flatMap((row, i) => {
    const fields = ['property_rids']
    return authorizationEvents({ kind: 'changed', old: old[i]!, row, fields }, stamp)
  })
}
