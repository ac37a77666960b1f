import type { AuthorizationRow, PropertyRow, PublisherRow } from '../model/rows.ts'

/**
 * What one publisher adds to what agents reach: how often each value of each facet occurs. `listing`
 * is of agents that it lists and grants nothing now: they belong to the graph all the same.
 */
export const facets = [
  'listing',
  'publisher',
  'property',
  'property_type',
  'channel',
  'tag',
  'market',
] as const
export type Facet = (typeof facets)[number]

export interface FacetCount {
  agent_url: string
  facet: Facet
  value: string
  times: number
}

/** The rows of one publisher that its agents' reach is counted from. */
export interface Reachable {
  publisher?: Pick<PublisherRow, 'listed_agents'> | undefined
  properties: readonly PropertyRow[]
  authorizations: readonly AuthorizationRow[]
}

/**
 * How the reach of agents changes when a publisher's rows do. A property that several grants of one
 * agent name counts once. Counting by publisher makes a change cost what changed, however many
 * publishers an agent has.
 */
export function reachDelta(before: Reachable, after: Reachable): FacetCount[] {
  const counts = new Map<string, FacetCount>()
  add(counts, before, -1)
  add(counts, after, 1)
  return [...counts.values()].filter(({ times }) => times !== 0)
}

function add(counts: Map<string, FacetCount>, rows: Reachable, sign: 1 | -1): void {
  const active = new Map(
    rows.properties.filter(row => row.status === 'active').map(row => [row.property_rid, row]),
  )
  const noting = (agent_url: string) => (facet: Facet, value: string) => {
    const key = `${agent_url}\n${facet}\n${value}`
    const count = counts.get(key)
    if (count) count.times += sign
    else counts.set(key, { agent_url, facet, value, times: sign })
  }
  for (const agent_url of rows.publisher?.listed_agents ?? []) noting(agent_url)('listing', '')
  for (const [agent_url, grants] of grantsByAgent(
    rows.authorizations.filter(grant => grant.in_force),
  )) {
    const note = noting(agent_url)
    note('publisher', '')
    for (const market of new Set(grants.flatMap(grant => grant.countries ?? []))) {
      note('market', market)
    }
    for (const rid of new Set(grants.flatMap(grant => grant.property_rids))) {
      const property = active.get(rid)
      if (property !== undefined) noteProperty(property, note)
    }
  }
}

function noteProperty(row: PropertyRow, note: (facet: Facet, value: string) => void): void {
  note('property', '')
  note('property_type', row.property_type)
  for (const channel of new Set(row.channels)) note('channel', channel)
  for (const tag of new Set(row.tags)) note('tag', tag)
}

function grantsByAgent(
  authorizations: readonly AuthorizationRow[],
): Map<string, AuthorizationRow[]> {
  const byAgent = new Map<string, AuthorizationRow[]>()
  for (const grant of authorizations) {
    const others = byAgent.get(grant.agent_url)
    if (others) others.push(grant)
    else byAgent.set(grant.agent_url, [grant])
  }
  return byAgent
}
