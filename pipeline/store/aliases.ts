import type { Merges } from '../diff/merges.ts'
import type { FacetCount } from '../diff/reach.ts'
import type { AliasRow } from '../model/rows.ts'
import type { Database } from './database.ts'
import { setsReachingAny } from './grant-rows.ts'

/** Loads the canonical rids of those of these rids that were merged. */
export async function loadAliases(
  db: Database,
  kind: AliasRow['kind'],
  rids: readonly string[],
): Promise<Map<string, string>> {
  const rows = await db.all<AliasRow>(
    `select * from aliases where kind = $kind
       and alias_rid in (select value from json_each($rids))`,
    { kind, rids: JSON.stringify(rids) },
  )
  return new Map(rows.map(row => [row.alias_rid, row.canonical_rid]))
}

interface Side {
  alias_rid: string
  canonical_rid: string
  alias_owner: string
  canonical_owner: string
}

const selectSides = (table: string, rid: string) => `
select m.alias_rid, m.canonical_rid, a.publisher_domain as alias_owner,
  c.publisher_domain as canonical_owner
from aliases m join ${table} a on a.${rid} = m.alias_rid
  join ${table} c on c.${rid} = m.canonical_rid
where a.publisher_domain in (select value from json_each($domains))
  or c.publisher_domain in (select value from json_each($domains))
order by m.alias_rid`

/** Loads the merges of these publishers' records, by publisher. Absent: none. */
export async function loadMerges(
  db: Database,
  domains: readonly string[],
): Promise<ReadonlyMap<string, Merges>> {
  const merges = new Map<string, { canonical: Map<string, string>; mergedRids: Set<string> }>()
  if (domains.length === 0 || !(await hasAliases(db))) return merges
  const parameters = { domains: JSON.stringify(domains) }
  const sides = [
    ...(await db.all<Side>(selectSides('properties', 'property_rid'), parameters)),
    ...(await db.all<Side>(selectSides('collections', 'collection_rid'), parameters)),
  ]
  const selectMerges = (domain: string) => {
    const known = merges.get(domain) ?? { canonical: new Map(), mergedRids: new Set() }
    merges.set(domain, known)
    return known
  }
  for (const { alias_rid, canonical_rid, alias_owner, canonical_owner } of sides) {
    selectMerges(alias_owner).canonical.set(alias_rid, canonical_rid)
    selectMerges(canonical_owner).mergedRids.add(canonical_rid)
  }
  return merges
}

export async function hasAliases(db: Database): Promise<boolean> {
  return (await db.one('select 1 from aliases limit 1')) !== undefined
}

/**
 * Counts of nothing for the agents that reach these properties, or that these publishers name: so
 * that what they reach is added up again.
 */
export async function markAgents(
  db: Database,
  rids: Iterable<string>,
  domains: readonly string[],
): Promise<FacetCount[]> {
  const agents = await db.all<{ agent_url: string }>(
    `select distinct agent_url from authorizations
     where property_set in (${setsReachingAny('$rids')})
       or publisher_domain in (select value from json_each($domains)) order by agent_url`,
    { rids: JSON.stringify([...rids]), domains: JSON.stringify(domains) },
  )
  return agents.map(({ agent_url }) => ({ agent_url, facet: 'property', value: '', times: 0 }))
}
