import type { Instant } from '../../core/clock.ts'
import { type Declared, operatorOf } from '../../resolve/operator.ts'
import { type Database, listOf } from '../duckdb.ts'
import { type InventoryRows, inventoryOf, reachesOf, wholeSales } from '../inventory-value.ts'
import type { Scope } from '../scope.ts'
import type { Entry, SpaceName } from '../serving.ts'
import { agentKey, hashOf, identifierKeysOf, reachKey } from '../serving-keys.ts'
import { documentValue } from '../serving-value.ts'

const json = (value: unknown) => Buffer.from(JSON.stringify(value))

/** Keys that went away, removed before anything is put since one may be back; agents and operators. */
export async function keyedEntries(
  index: Database,
  { keyed, parameters, at }: Scope,
): Promise<{ gone: Entry[]; put: Entry[] }> {
  const rows = await index.all<{ space: Keyed; key: string }>(keyed, parameters)
  const of = (space: Keyed) => rows.filter(row => row.space === space).map(({ key }) => key)
  const gone = Object.entries(vanished).flatMap(([touched, space]) =>
    of(touched as Keyed).map((key): Entry => ({ space, key, value: undefined })),
  )
  const put = [
    ...(await agentEntries(index, of('agent'))),
    ...(await operatorEntries(index, of('operator'), at)),
    ...(await claimEntries(index, of('claim'))),
  ]
  return { gone, put }
}

/** Under what name keys that went away are told, and the space they are taken out of. */
const vanished = {
  reach: 'reach',
  identifier: 'identifier',
  freshness_gone: 'freshness',
} as const satisfies Record<string, SpaceName>

type Keyed = keyof typeof vanished | 'agent' | 'operator' | 'claim'

/** What sales of one publisher's properties are judged by, found by publisher, agent and identifier. */
export function authorityEntries(rows: InventoryRows, at: Instant): Entry[] {
  const { domain } = rows.publisher
  const stored = inventoryOf(rows)
  const whole = wholeSales(stored)
  const reaches = [...reachesOf(rows)].map(([agent, reach]) => {
    const sold = whole.get(agent)
    return {
      space: 'reach' as const,
      key: reachKey(agent, domain),
      value: json(sold === undefined ? reach : { ...reach, sold }),
    }
  })
  const owner = Buffer.from(domain)
  const identifiers = identifierKeysOf(rows).map(key => ({
    space: 'identifier' as const,
    key,
    value: owner,
  }))
  const inventory = documentValue(stored, at)
  return [{ space: 'inventory', key: domain, value: inventory }, ...reaches, ...identifiers]
}

/** Agents that are granted anything or that some brand.json names, and who operates them. */
async function agentEntries(index: Database, keys: readonly string[]): Promise<Entry[]> {
  if (keys.length === 0) return []
  const rows = await index.all<{
    agent_url: string
    publisher_count: number | null
    named_by: string[] | null
  }>(
    `with touched as (select unnest(${listOf('$keys')}) as agent_url),
     naming as (select agent_url, list(distinct location order by location) as named_by
       from agent_declarations semi join touched using (agent_url) group by all)
     select agent_url, a.publisher_count::double as publisher_count, n.named_by
     from touched left join agents a using (agent_url) left join naming n using (agent_url)`,
    { keys: JSON.stringify(keys) },
  )
  return rows.map(({ agent_url, publisher_count, named_by }) => ({
    space: 'agent',
    key: agentKey(agent_url),
    value:
      publisher_count === null && named_by === null
        ? undefined
        : json({
            agent_url,
            publisher_count: publisher_count ?? 0,
            operator: operatorOf(agent_url, named_by ?? []) ?? null,
          }),
  }))
}

/** What brand.json files declare of properties, by file. */
async function operatorEntries(
  index: Database,
  keys: readonly string[],
  at: Instant,
): Promise<Entry[]> {
  if (keys.length === 0) return []
  const rows = await index.all<{ location: string; declared: Declared[] | null }>(
    `with touched as (select unnest(${listOf('$keys')}) as location),
     said as (select location, to_json(list({'brand_id': brand_id, 'type': type,
         'identifier': identifier, 'store': store, 'relationship': relationship}
         order by brand_id, type, identifier, store, relationship)) as declared
       from property_declarations semi join touched using (location) group by all)
     select location, declared from touched left join said using (location)`,
    { keys: JSON.stringify(keys) },
  )
  return rows.map(({ location, declared }) => ({
    space: 'operator',
    key: hashOf(location),
    value: declared === null ? undefined : documentValue(declared, at),
  }))
}

/** Which agents say of these domains that they sell for them. */
async function claimEntries(index: Database, domains: readonly string[]): Promise<Entry[]> {
  if (domains.length === 0) return []
  const rows = await index.all<{ publisher_domain: string; agents: string[] | null }>(
    `with touched as (select distinct unnest(${listOf('$domains')}) as publisher_domain)
     select publisher_domain, to_json(list(agent_url order by agent_url)
       filter (agent_url is not null)) as agents
     from touched left join agent_claims using (publisher_domain) group by publisher_domain`,
    { domains: JSON.stringify(domains) },
  )
  return rows.map(({ publisher_domain, agents }) => ({
    space: 'claim',
    key: publisher_domain,
    value: agents === null ? undefined : json(agents),
  }))
}
