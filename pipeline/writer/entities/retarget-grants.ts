import { toIso } from '../../core/clock.ts'
import { getOrThrow } from '../../core/present.ts'
import { diffAuthorization } from '../../diff/authorization-events.ts'
import { applyToReached, listPropertySets } from '../../diff/property-sets.ts'
import type { RowStamp } from '../../diff/stamp.ts'
import type { EventDraft } from '../../model/event.ts'
import type { AuthorizationRow } from '../../model/rows.ts'
import { toElsewhereKey } from '../../serving/keys.ts'
import { loadAliases } from '../../store/aliases.ts'
import { recordChanges } from '../../store/commit-notes.ts'
import type { Database } from '../../store/database.ts'
import { loadGrants, setsReachingAny, toStoredGrant } from '../../store/grant-rows.ts'
import { deleteRows } from '../../store/row-writes.ts'

/**
 * Grants that still reach an alias reach the canonical property now: those of publishers whose files
 * lead nowhere at present, so that nothing was derived again.
 */
export async function moveGrants(
  db: Database,
  aliases: readonly string[],
  stamp: RowStamp,
): Promise<{ events: EventDraft[]; publishers: string[] }> {
  if (aliases.length === 0) return { events: [], publishers: [] }
  const leads = await loadAliases(db, 'property', aliases)
  const old = await loadGrants(
    db,
    `where property_set in (${setsReachingAny('$aliases')}) order by entry, id`,
    { aliases: JSON.stringify(aliases) },
  )
  const changed_at = toIso(stamp.now)
  const rows = [...Map.groupBy(old, row => row.publisher_domain)].flatMap(([domain, grants]) => {
    const lead = applyToReached(domain, rids => rids.map(rid => leads.get(rid) ?? rid))
    return grants.map(row => ({ ...row, ...lead(row), changed_at, seq: stamp.seq }))
  })
  await replaceGrants(db, old, rows)
  const touched = [...new Set(old.map(row => row.publisher_domain))]
  const identifier = touched.flatMap(domain => aliases.map(rid => toElsewhereKey(rid, domain)))
  await recordChanges(db, stamp.seq, { publisher: touched, identifier })
  const before = new Map(old.map(row => [row.id, row]))
  const events = rows.flatMap(row => {
    const fields = ['property_set']
    return diffAuthorization(
      { kind: 'changed', old: getOrThrow(before, row.id), row, fields },
      stamp,
    )
  })
  return { events, publishers: touched }
}

/**
 * Replaces grants. Every grant that reached an alias is among these, so their old sets are unused
 * afterwards.
 */
async function replaceGrants(
  db: Database,
  old: readonly AuthorizationRow[],
  rows: readonly AuthorizationRow[],
): Promise<void> {
  const sets = await db.all<{ set_id: string }>(
    `select set_id from property_sets where set_id in (select value from json_each($sets))`,
    { sets: JSON.stringify(listPropertySets(rows).map(({ set_id }) => set_id)) },
  )
  const known = new Set(sets.map(({ set_id }) => set_id))
  await deleteRows(
    db,
    'property_sets',
    'set_id',
    listPropertySets(old).map(({ set_id }) => set_id),
  )
  await db.insert(
    'property_sets',
    listPropertySets(rows).filter(({ set_id }) => !known.has(set_id)),
  )
  await deleteRows(
    db,
    'authorizations',
    'id',
    old.map(({ id }) => id),
  )
  await db.insert('authorizations', rows.map(toStoredGrant))
}
