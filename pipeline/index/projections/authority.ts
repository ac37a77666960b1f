import { type Declared, operatorOf } from '../../resolve/operator.ts'
import type { Database } from '../duckdb.ts'
import { type InventoryRows, inventoryOf, reachesOf } from '../inventory-value.ts'
import type { Scope } from '../scope.ts'
import type { Entry } from '../serving.ts'
import { agentKey, hashOf, identifierKeysOf, reachKey } from '../serving-keys.ts'
import { documentValue } from '../serving-value.ts'

const json = (value: unknown) => Buffer.from(JSON.stringify(value))

/** Keys that are gone: removed before anything is put, since one may be back. */
export async function goneEntries(index: Database, { gone, parameters }: Scope): Promise<Entry[]> {
  if (gone === undefined) return []
  const rows = await index.all<{ space: 'reach' | 'identifier'; key: string }>(gone, parameters)
  return rows.map(({ space, key }) => ({ space, key, value: undefined }))
}

/** What sales of one publisher's properties are judged by, found by publisher, agent and identifier. */
export function authorityEntries(rows: InventoryRows): Entry[] {
  const { domain } = rows.publisher
  const reaches = [...reachesOf(rows)].map(([agent, reach]) => ({
    space: 'reach' as const,
    key: reachKey(agent, domain),
    value: json(reach),
  }))
  const owner = Buffer.from(domain)
  const identifiers = identifierKeysOf(rows).map(key => ({
    space: 'identifier' as const,
    key,
    value: owner,
  }))
  const inventory = documentValue(inventoryOf(rows))
  return [{ space: 'inventory', key: domain, value: inventory }, ...reaches, ...identifiers]
}

/** Agents that are granted anything or that some brand.json names, and who operates them. */
export async function agentEntries(
  index: Database,
  { agents, parameters }: Scope,
): Promise<Entry[]> {
  const rows = await index.all<{
    agent_url: string
    publisher_count: number | null
    named_by: string[] | null
  }>(
    `with touched as (select distinct key as agent_url from ${agents}),
     naming as (select agent_url, list(distinct location order by location) as named_by
       from agent_declarations semi join touched using (agent_url) group by all)
     select agent_url, a.publisher_count::double as publisher_count, n.named_by
     from touched left join agents a using (agent_url) left join naming n using (agent_url)`,
    parameters,
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
export async function operatorEntries(
  index: Database,
  { operators, parameters }: Scope,
): Promise<Entry[]> {
  const rows = await index.all<{ location: string; declared: Declared[] | null }>(
    `with touched as (select distinct key as location from ${operators}),
     said as (select location, to_json(list({'brand_id': brand_id, 'type': type,
         'identifier': identifier, 'store': store, 'relationship': relationship}
         order by brand_id, type, identifier, store, relationship)) as declared
       from property_declarations semi join touched using (location) group by all)
     select location, declared from touched left join said using (location)`,
    parameters,
  )
  return rows.map(({ location, declared }) => ({
    space: 'operator',
    key: hashOf(location),
    value: declared === null ? undefined : documentValue(declared),
  }))
}
