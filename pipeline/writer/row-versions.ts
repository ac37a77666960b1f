import { toIso } from '../core/clock.ts'
import type { RowStamp } from '../diff/stamp.ts'
import type { Database } from '../store/database.ts'

/** Tables of which every state of a row is kept, with the columns that are kept. */
const versioned = [
  {
    table: 'authorizations',
    versions: 'authorization_versions',
    key: 'id',
    columns: `id, agent_url, publisher_domain, entry, authorization_type, authorized_for,
      property_set, property_count, publisher_wide, property_ids, property_tags,
      publisher_properties, signal_ids, signal_tags, placement_ids, placement_tags, collections,
      delegation_type, exclusive, countries, effective_from, effective_until, in_force,
      signing_keys, discovery_method, manager_domain, granted_at`,
  },
  {
    table: 'properties',
    versions: 'property_versions',
    key: 'property_rid',
    columns: `property_rid, publisher_domain, property_id, property_type, name, identifiers, tags,
      supported_channels, channels, classification, source, status, stale_reason, inline_only,
      created_at`,
  },
  {
    table: 'publishers',
    versions: 'publisher_versions',
    key: 'domain',
    columns: `domain, valid, discovery_method, manager_domain, resolved_location, agent_count,
      property_count, catalog`,
  },
  {
    table: 'brands',
    versions: 'brand_versions',
    key: 'domain',
    columns: `domain, canonical_id, canonical_domain, brand_name, source, brand_id, keller_type,
      house_domain, house_name, claimed_house_domain, parent_brand, relationship_trust,
      resolved_location`,
  },
  {
    table: 'aliases',
    versions: 'alias_versions',
    key: 'alias_rid',
    columns: 'kind, alias_rid, canonical_rid',
  },
] as const

export const versionedTables = versioned.map(({ table }) => table)

/**
 * Adds the states of all rows that the commit in progress has added, changed or removed. The rows are found
 * by the number of the commit, which each of them has. Tables whose version is still that in `begun` are not
 * queried. A row that changes twice in a commit gets one state.
 */
export async function recordVersions(
  db: Database,
  begun: ReadonlyMap<string, number>,
  stamp: Pick<RowStamp, 'now' | 'seq'>,
): Promise<void> {
  for (const entry of versioned) {
    if (db.written.version([entry.table]) === begun.get(entry.table)) continue
    await recordStates(db, entry, stamp)
    if (entry.table === 'authorizations') await recordSets(db, stamp)
  }
}

async function recordStates(
  db: Database,
  { table, versions, key, columns }: (typeof versioned)[number],
  { now, seq }: Pick<RowStamp, 'now' | 'seq'>,
): Promise<void> {
  await db.write(
    'insert into',
    versions,
    `(${columns}, seq, valid_from, ended) select ${columns}, seq, ms($now), false from ${table} where seq = $seq`,
    { seq, now: toIso(now) },
  )
  const keys = await findRemovedKeys(db, { table, key }, seq)
  if (keys.length === 0) return
  await db.write(
    'insert into',
    versions,
    `(${columns}, seq, valid_from, ended) select ${columns}, $seq, ms($now), true from (
       select *, row_number() over (partition by ${key} order by seq desc) as place
       from ${versions} where ${key} in (select value from json_each($keys)))
     where place = 1 and not ended and ${key} not in (select ${key} from ${table})`,
    { keys: JSON.stringify(keys), seq, now: toIso(now) },
  )
}

/** Finds keys of rows that the commit in progress deleted and did not write again. */
async function findRemovedKeys(
  db: Database,
  { table, key }: { table: string; key: string },
  seq: number,
): Promise<string[]> {
  const deleted = db.notes?.listDeleted(table) ?? []
  if (deleted.length === 0) return []
  const removed = await db.all<{ key: string }>(
    `select value as key from json_each($deleted) except select ${key} from ${table} where seq = $seq`,
    { deleted: JSON.stringify(deleted), seq },
  )
  return removed.map(row => row.key)
}

/**
 * Stores the property sets of new states of grants, since sets that no grant refers to are deleted from
 * `property_sets`.
 */
async function recordSets(db: Database, { seq }: Pick<RowStamp, 'seq'>): Promise<void> {
  await db.write(
    'insert into',
    'property_set_versions',
    `select * from property_sets
     where set_id in (select property_set from authorizations where seq = $seq)
       and set_id not in (select set_id from property_set_versions)`,
    { seq },
  )
}
