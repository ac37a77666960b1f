import { type Instant, toIso } from '../../core/clock.ts'
import type { Identifier } from '../../model/documents/index.ts'
import type { AuthorizationRow, PropertyRow, PublisherRow } from '../../model/rows.ts'
import { listLookupKeys, matchIdentifier } from '../../resolve/identifiers.ts'
import { buildInventory } from '../../serving/inventory-record.ts'
import { declareCache } from '../cache/caches.ts'
import { SnapshotCache } from '../cache/snapshot-cache.ts'
import type { Place } from '../lookups/candidates.ts'
import { Inventory } from '../lookups/inventory.ts'
import type { Snapshot } from '../reader.ts'

/** Builds SQL for the last state, up to `$at`, of each row that a condition selects; null of none that ended. */
export const selectStates = (versions: string, key: string, condition: string) =>
  `(from (from ${versions} where ${condition} and valid_from <= $at::timestamptz
    qualify row_number() over (partition by ${key} order by seq desc) = 1) where not ended)`

const begins = declareCache(() => new SnapshotCache<string | null>(1))

/** Finds since when states are kept; null while there is none. */
export function findHistoryBegin(snapshot: Snapshot): Promise<string | null> {
  return begins(snapshot).get('', async () => {
    const row = await snapshot.db.one<{ at: string | null }>(
      'select min(valid_from) as at from publisher_versions',
    )
    return row?.at ?? null
  })
}

/** Loads the inventory of a publisher at a past time; undefined if no file of it had been read by then. */
export async function loadPastInventory(
  { db }: Snapshot,
  domain: string,
  at: Instant,
): Promise<Inventory | undefined> {
  const parameters = { domain, at: toIso(at) }
  const publisher = await db.one<PublisherRow>(
    `from ${selectStates('publisher_versions', 'domain', 'domain = $domain')}`,
    parameters,
  )
  if (publisher === undefined) return undefined
  const owned = 'publisher_domain = $domain'
  const properties = await db.all<PropertyRow>(
    `from ${selectStates('property_versions', 'property_rid', owned)}
     where status != 'removed' and source = 'authoritative' order by status, created_at, property_rid`,
    parameters,
  )
  const authorizations = await db.all<AuthorizationRow>(
    `select g.*, coalesce(s.property_rids, []) as property_rids
     from ${selectStates('authorization_versions', 'id', owned)} g
     left join property_set_versions s on s.set_id = g.property_set order by entry, id`,
    parameters,
  )
  return new Inventory(buildInventory({ publisher, properties, authorizations }))
}

/** Finds the active properties that an identifier named, with their owners and who had merged into them. */
export async function listPastPlaces(
  { db }: Snapshot,
  asked: Identifier,
  at: Instant,
): Promise<Place[]> {
  const found = await db.all<{ rid: string; owner: string; identifiers: Identifier[] }>(
    `select property_rid::varchar as rid, publisher_domain as owner, identifiers
     from ${selectStates(
       'property_versions',
       'property_rid',
       `property_rid in (select property_rid from property_versions where list_has_any(
         list_transform(identifiers, lambda i: i.type || ':' || lower(i.value)),
         from_json($keys::varchar, '["VARCHAR"]')))`,
     )} where status = 'active' order by rid`,
    { keys: JSON.stringify(listSpellings(asked)), at: toIso(at) },
  )
  const merged = await db.all<{ rid: string; publisher: string }>(
    `select distinct a.canonical_rid::varchar as rid, p.publisher_domain as publisher
     from aliases a join property_versions p on p.property_rid = a.alias_rid
     where a.kind = 'property' and a.merged_at <= $at::timestamptz`,
    { at: toIso(at) },
  )
  return found
    .filter(({ identifiers }) => identifiers.some(declared => matchIdentifier(declared, asked)))
    .map(({ rid, owner }) => {
      const others = merged.flatMap(row => (row.rid === rid ? row.publisher : []))
      return { rid, owner, publishers: [...new Set([owner, ...others])].sort() }
    })
}

/** Lists the spellings that a file may use for an identifier; for a domain also the other names of its site. */
function listSpellings(asked: Identifier): string[] {
  const keys = [...listLookupKeys(asked), `${asked.type}:${asked.value.trim().toLowerCase()}`]
  const hosts = keys.filter(key => key.startsWith('domain:')).map(key => key.slice(7))
  return [...keys, ...hosts.flatMap(host => [`domain:www.${host}`, `domain:m.${host}`])]
}

/** Lists the publishers that granted an agent anything, by name. */
export async function listPastPublishers(
  { db }: Snapshot,
  agent: string,
  at: Instant,
): Promise<string[]> {
  const rows = await db.all<{ domain: string }>(
    `select distinct publisher_domain as domain
     from ${selectStates('authorization_versions', 'id', 'agent_url = $agent')}
     where in_force order by domain`,
    { agent, at: toIso(at) },
  )
  return rows.map(({ domain }) => domain)
}
