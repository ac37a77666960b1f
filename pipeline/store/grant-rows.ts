import type { Change } from '../diff/diff.ts'
import type { AuthorizationRow, PropertySetRow } from '../model/rows.ts'
import type { Database, Parameters } from './database.ts'

/** A stored grant; its properties are in its property set. */
export type StoredGrantRow = Omit<AuthorizationRow, 'property_rids'>

/** Builds SQL for the ids of the sets that contain any of the rids in a list parameter. */
export const setsReachingAny = (rids: string) =>
  `select set_id from property_sets where exists (
    select 1 from json_each(property_rids) where value in (select value from json_each(${rids})))`

/**
 * Loads grants; `where` is the SQL that follows `from authorizations`. Rows with the same property set share
 * one list of its rids.
 */
export async function loadGrants(
  db: Database,
  where: string,
  parameters: Parameters,
): Promise<AuthorizationRow[]> {
  const rows = await db.all<StoredGrantRow>(`select * from authorizations ${where}`, parameters)
  const sets = await loadSets(
    db,
    rows.flatMap(({ property_set }) => property_set ?? []),
  )
  return rows.map(row => ({ ...row, property_rids: sets.get(row.property_set ?? '') ?? [] }))
}

async function loadSets(
  db: Database,
  ids: readonly string[],
): Promise<Map<string, readonly string[]>> {
  const wanted = [...new Set(ids)]
  if (wanted.length === 0) return new Map()
  const rows = await db.all<PropertySetRow>(
    `select * from property_sets where set_id in (select value from json_each($sets))`,
    { sets: JSON.stringify(wanted) },
  )
  return new Map(rows.map(({ set_id, property_rids }) => [set_id, property_rids]))
}

export function toStoredGrant({ property_rids: _, ...row }: AuthorizationRow): StoredGrantRow {
  return row
}

export function toStoredChange(change: Change<AuthorizationRow>): Change<StoredGrantRow> {
  switch (change.kind) {
    case 'added':
      return { ...change, row: toStoredGrant(change.row) }
    case 'changed':
      return { ...change, old: toStoredGrant(change.old), row: toStoredGrant(change.row) }
    case 'removed':
      return { ...change, old: toStoredGrant(change.old) }
  }
}
