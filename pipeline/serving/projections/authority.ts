import type { Instant } from '../../core/clock.ts'
import { type Declared, resolveOperator } from '../../resolve/operator.ts'
import type { Database } from '../../store/database.ts'
import { encodeDocument, toJsonValue } from '../document-value.ts'
import {
  buildInventory,
  buildReaches,
  type InventoryRows,
  listWholeSales,
} from '../inventory-record.ts'
import { hashKey, listIdentifierKeys, toAgentKey, toReachKey } from '../keys.ts'
import type { Entry, SpaceName } from '../lmdb.ts'
import { projectAgentProfiles } from './agent-profiles.ts'
import type { Scope } from './scope.ts'

/** An agent as a brand.json names it. */
export interface NamedAgent {
  agent_url: string
  /** The type as the file spells it. */
  type: string
}

/** Projects the keys of agents and operators. Removed keys come first, since one may be added again. */
export async function projectKeys(
  index: Database,
  { keyed, changedAt }: Scope,
): Promise<{ gone: Entry[]; put: Entry[] }> {
  const bySpace = Map.groupBy(keyed, ({ space }) => space)
  const listKeys = (space: Keyed) => bySpace.get(space)?.map(({ key }) => key) ?? []
  const gone = Object.entries(vanished).flatMap(([touched, space]) =>
    listKeys(touched as Keyed).map((key): Entry => ({ space, key, value: undefined })),
  )
  const put = [
    ...(await projectAgents(index, listKeys('agent'))),
    ...(await projectOperators(index, listKeys('operator'), changedAt)),
    ...(await projectOperated(index, listKeys('operated'))),
    ...(await claimEntries(index, listKeys('claim'))),
    ...(await projectAgentProfiles(index, listKeys('agent_profile'))),
  ]
  return { gone, put }
}

/** The names under which removed keys are passed on, and their spaces. */
const vanished = {
  reach: 'reach',
  identifier: 'identifier',
  freshness_gone: 'freshness',
} as const satisfies Record<string, SpaceName>

type Keyed = keyof typeof vanished | 'agent' | 'agent_profile' | 'operator' | 'operated' | 'claim'

/** Projects the sale rights of one publisher's properties, by publisher, agent and identifier. */
export function projectAuthority(rows: InventoryRows, changedAt: Instant): Entry[] {
  const { domain } = rows.publisher
  const stored = buildInventory(rows)
  const wholeSales = listWholeSales(stored)
  const reaches = [...buildReaches(rows)].map(([agent, reach]) => {
    const sold = wholeSales.get(agent)
    return {
      space: 'reach' as const,
      key: toReachKey(agent, domain),
      value: toJsonValue(sold === undefined ? reach : { ...reach, sold }),
    }
  })
  const owner = Buffer.from(domain)
  const identifiers = listIdentifierKeys(rows).map(key => ({
    space: 'identifier' as const,
    key,
    value: owner,
  }))
  const inventory = encodeDocument(stored, changedAt)
  return [{ space: 'inventory', key: domain, value: inventory }, ...reaches, ...identifiers]
}

/** Projects agents that have a grant or are named by a brand.json, and their operators. */
async function projectAgents(index: Database, keys: readonly string[]): Promise<Entry[]> {
  if (keys.length === 0) return []
  const rows = await index.all<{
    agent_url: string
    publisher_count: number | null
    property_count: number | null
    named_by: string[] | null
  }>(
    `with touched as (select value as agent_url from json_each($keys)),
     naming as (select agent_url, json_group_array(distinct location order by location) as named_by
       from agent_declarations where agent_url in (select agent_url from touched) group by agent_url)
     select agent_url, a.publisher_count, a.property_count, n.named_by as "named_by [json]"
     from touched left join agents a using (agent_url) left join naming n using (agent_url)`,
    { keys: JSON.stringify(keys) },
  )
  return rows.map(({ agent_url, publisher_count, property_count, named_by }) => ({
    space: 'agent',
    key: toAgentKey(agent_url),
    value:
      publisher_count === null && named_by === null
        ? undefined
        : toJsonValue({
            agent_url,
            publisher_count: publisher_count ?? 0,
            property_count: property_count ?? 0,
            operator: resolveOperator(agent_url, named_by ?? []) ?? null,
          }),
  }))
}

/** Projects the declarations of brand.json files about properties, by file. */
async function projectOperators(
  index: Database,
  keys: readonly string[],
  changedAt: Instant,
): Promise<Entry[]> {
  if (keys.length === 0) return []
  const rows = await index.all<{ location: string; declared: Declared[] | null }>(
    `with touched as (select value as location from json_each($keys)),
     said as (select location, json_group_array(json_object('brand_id', brand_id, 'type', type,
         'identifier', identifier, 'store', store, 'relationship', relationship)
         order by brand_id, type, identifier, store nulls last, relationship) as declared
       from property_declarations where location in (select location from touched) group by location)
     select location, declared as "declared [json]" from touched left join said using (location)`,
    { keys: JSON.stringify(keys) },
  )
  return rows.map(({ location, declared }) => ({
    space: 'operator',
    key: hashKey(location),
    value: declared === null ? undefined : encodeDocument(declared, changedAt),
  }))
}

/** Projects the agents that brand.json files name, by file. */
async function projectOperated(index: Database, locations: readonly string[]): Promise<Entry[]> {
  if (locations.length === 0) return []
  const rows = await index.all<{ location: string; agents: NamedAgent[] | null }>(
    `with touched as (select value as location from json_each($locations))
     select location, nullif(json_group_array(json_object('agent_url', agent_url, 'type', type)
       order by agent_url) filter (where agent_url is not null), '[]') as "agents [json]"
     from touched left join agent_declarations using (location) group by location`,
    { locations: JSON.stringify(locations) },
  )
  return rows.map(({ location, agents }) => ({
    space: 'operated',
    key: hashKey(location),
    value: agents === null ? undefined : toJsonValue(agents),
  }))
}

/** Projects the agents that claim to sell for these domains. */
async function claimEntries(index: Database, domains: readonly string[]): Promise<Entry[]> {
  if (domains.length === 0) return []
  const rows = await index.all<{ publisher_domain: string; agents: string[] | null }>(
    `with touched as (select distinct value as publisher_domain from json_each($domains))
     select publisher_domain, nullif(json_group_array(agent_url order by agent_url)
       filter (where agent_url is not null), '[]') as "agents [json]"
     from touched left join agent_claims using (publisher_domain) group by publisher_domain`,
    { domains: JSON.stringify(domains) },
  )
  return rows.map(({ publisher_domain, agents }) => ({
    space: 'claim',
    key: publisher_domain,
    value: agents === null ? undefined : toJsonValue(agents),
  }))
}
