import { type Instant, toIso } from '../../core/clock.ts'
import type { Identifier } from '../../model/documents/index.ts'
import { type GrantScope, toGrantScope } from '../../model/grant-scope.ts'
import type { NeededTerm } from '../../model/operator-side.ts'
import type { AuthorizationRow, PropertyRow, PublisherRow } from '../../model/rows.ts'
import { listLookupKeys, matchIdentifier } from '../../resolve/identifiers.ts'
import { toOperatorSide } from '../../resolve/operator-side.ts'
import { buildInventory, type StoredReach } from '../../serving/inventory-record.ts'
import { declareCache } from '../cache/caches.ts'
import { SnapshotCache } from '../cache/snapshot-cache.ts'
import type { PropertyPlace } from '../lookups/candidates.ts'
import { type GrantFacts, toStale } from '../lookups/grant-facts.ts'
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
  asOf: Instant,
): Promise<Inventory | undefined> {
  const parameters = { domain, at: toIso(asOf) }
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
  asOf: Instant,
): Promise<PropertyPlace[]> {
  const found = await db.all<{ rid: string; owner: string; identifiers: Identifier[] }>(
    `select property_rid::varchar as rid, publisher_domain as owner, identifiers
     from ${selectStates(
       'property_versions',
       'property_rid',
       `property_rid in (select property_rid from property_versions where list_has_any(
         list_transform(identifiers, lambda i: i.type || ':' || lower(i.value)),
         from_json($keys::varchar, '["VARCHAR"]')))`,
     )} where status = 'active' order by rid`,
    { keys: JSON.stringify(listSpellings(asked)), at: toIso(asOf) },
  )
  const merged = await db.all<{ rid: string; publisher: string }>(
    `select distinct a.canonical_rid::varchar as rid, p.publisher_domain as publisher
     from ${selectStates('alias_versions', 'alias_rid', "kind = 'property'")} a
     join property_versions p on p.property_rid = a.alias_rid`,
    { at: toIso(asOf) },
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
  asOf: Instant,
): Promise<string[]> {
  const rows = await db.all<{ domain: string }>(
    `select distinct publisher_domain as domain
     from ${selectStates('authorization_versions', 'id', 'agent_url = $agent')}
     where in_force order by domain`,
    { agent, at: toIso(asOf) },
  )
  return rows.map(({ domain }) => domain)
}

/** Holds what an agent reached of one publisher, with the ids of the properties. */
export type PastReach = Omit<StoredReach, 'sold' | keyof GrantScope> & {
  properties_without_id: number
  property_ids: string[]
  /** Time at which the last of what is shown had become so. */
  changed_at: string
}

/** States at `$at` of what an agent reached, publisher by publisher after `$after`. */
const PAST_REACHES = `
with granted as (
  from ${selectStates('authorization_versions', 'id', 'agent_url = $agent')}
  where in_force and ($after is null or publisher_domain > $after)),
paged as (select distinct publisher_domain as domain from granted order by domain limit $limit),
said as (
  select publisher_domain as domain, bool_or(coalesce(json_array_length(signing_keys), 0) > 0) as signing_keys_pinned,
    first(authorized_for order by entry, id) filter (authorized_for is not null) as authorized_for,
    max(valid_from) as changed_at
  from granted where publisher_domain in (from paged) group by all),
reached as (
  select distinct g.publisher_domain as domain, unnest(s.property_rids) as property_rid
  from granted g join property_set_versions s on s.set_id = g.property_set
  where g.publisher_domain in (from paged)),
named as (
  select r.domain, list(p.property_id) filter (p.property_id is not null) as property_ids,
    (count(*) filter (p.property_id is null))::double as properties_without_id
  from reached r join ${selectStates(
    'property_versions',
    'property_rid',
    'publisher_domain in (from paged)',
  )} p using (property_rid)
  where p.status = 'active' and p.source = 'authoritative' group by all)
select p.domain as publisher_domain, p.discovery_method, p.manager_domain,
  coalesce(len(n.property_ids), 0)::double as properties_authorized,
  coalesce(n.properties_without_id, 0) as properties_without_id,
  p.property_count::double as properties_total, s.signing_keys_pinned, s.authorized_for,
  p.resolved_location as verified_by, coalesce(n.property_ids, []) as property_ids,
  greatest(p.valid_from, s.changed_at) as changed_at
from ${selectStates('publisher_versions', 'domain', 'domain in (from paged)')} p
join said s using (domain) left join named n using (domain) order by domain`

/** Lists what an agent reached, at most `limit` publishers after one of them, by name. */
export function listPastReaches(
  { db }: Snapshot,
  agent: string,
  asOf: Instant,
  { after, limit }: { after: string | undefined; limit: number },
): Promise<PastReach[]> {
  return db.all<PastReach>(PAST_REACHES, { agent, at: toIso(asOf), after: after ?? null, limit })
}

/**
 * Scope of an agent's grants at `$at`, terms without which some property could not be sold, and how many of these
 * were stale, by publisher.
 */
const PAST_FACTS = `
with granted as (
  from ${selectStates('authorization_versions', 'id', 'agent_url = $agent')}
  where in_force and publisher_domain in (select unnest(from_json($domains::varchar, '["VARCHAR"]')))),
reached as (
  select g.publisher_domain as domain, g.entry, g.id, unnest(s.property_rids) as property_rid,
    case when countries is not null then 'country'
      when collections is not null then 'collection_ids'
      when placement_ids is not null or placement_tags is not null then 'placement_ids' end as term
  from granted g join property_set_versions s on s.set_id = g.property_set),
granted_properties as (
  select r.domain, p.status, p.created_at, property_rid,
    case when bool_and(r.term is not null) then first(r.term order by r.entry, r.id) end as term
  from reached r join ${selectStates(
    'property_versions',
    'property_rid',
    'publisher_domain in (select publisher_domain from granted)',
  )} p using (property_rid)
  where p.publisher_domain = r.domain and p.source = 'authoritative' group by all),
scopes as (
  select publisher_domain as domain, list({authorization_type: authorization_type} order by entry, id) as grants
  from granted group by all)
select domain, any_value(grants) as grants, (count(*) filter (status = 'stale'))::double as stale,
  first(term order by created_at, property_rid) filter (term is not null and status = 'active') as needs
from scopes left join granted_properties using (domain) group by domain`

interface PastFacts {
  domain: string
  grants: { authorization_type: string }[]
  needs: NeededTerm | null
  stale: number
}

/** Finds what lists say of all that publishers granted an agent at a past time. */
export async function findPastFacts(
  { db }: Snapshot,
  agent: string,
  asOf: Instant,
  domains: readonly string[],
): Promise<(domain: string) => Partial<GrantScope> & GrantFacts> {
  const rows = await db.all<PastFacts>(PAST_FACTS, {
    agent,
    at: toIso(asOf),
    domains: JSON.stringify(domains),
  })
  const known = new Map(
    rows.map(({ domain, grants, needs, stale }) => [
      domain,
      { ...toGrantScope(grants), ...toPastFacts(needs, stale) },
    ]),
  )
  return domain => known.get(domain) ?? toPastFacts(null)
}

/** Returns what lists say of a grant of the past, of which no operator's side is recorded. */
export function toPastFacts(needs: NeededTerm | null | undefined, stale = 0): GrantFacts {
  return { ...toOperatorSide('not_recorded'), ...toStale(stale), ...(needs && { needs }) }
}
