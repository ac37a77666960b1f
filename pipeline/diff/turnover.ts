import type { PropertyRow } from '../model/rows.ts'
import type { Change } from './diff.ts'
import type { FacetCount } from './reach.ts'

/** Agents and properties that a publisher's file names since a change, and those that it no longer does. */
export interface Turnover {
  agents_added: string[]
  agents_removed: string[]
  properties_added: string[]
  properties_removed: string[]
}

export function listTurnover(
  reached: readonly FacetCount[],
  properties: readonly Change<PropertyRow>[],
): Turnover {
  const named = new Map<string, number>()
  for (const { agent_url, facet, times } of reached) {
    // An agent may be listed without a grant before and have one after, or the other way round.
    if (facet !== 'publisher' && facet !== 'listing') continue
    named.set(agent_url, (named.get(agent_url) ?? 0) + times)
  }
  const listAgents = (sign: number) =>
    [...named].flatMap(([agent, times]) => (times * sign > 0 ? agent : [])).sort()
  const isActive = (row: PropertyRow | undefined) => row?.status === 'active'
  const listProperties = (becomeActive: boolean) =>
    properties.flatMap(change => {
      const was = change.kind === 'added' ? undefined : change.old
      const is = change.kind === 'removed' ? undefined : change.row
      const isTurned = isActive(was) !== becomeActive && isActive(is) === becomeActive
      return isTurned ? ((is ?? was)?.property_rid ?? []) : []
    })
  return {
    agents_added: listAgents(1),
    agents_removed: listAgents(-1),
    properties_added: listProperties(true),
    properties_removed: listProperties(false),
  }
}
