import type { CheckedProposal } from '../../pipeline/parse/check-file.ts'
import { findFaultPlaces, type TextPlace } from '../../pipeline/parse/fault-places.ts'

/** Number of agents of a proposed file that are looked up. */
const NAMED_MAX = 500

/** An agent that a proposed file names, and the place of its address. */
export interface NamedAgent extends Partial<TextPlace> {
  url: string
  authorized_for?: string
  field: string
}

/** Lists the agents that entries of a proposed file name, each where it is named first. */
export function listNamedAgents(document: CheckedProposal['document'], text: string): NamedAgent[] {
  if (document?.variant !== 'inline') return []
  const named = new Map<string, NamedAgent>()
  for (const { agent_url: url, authorized_for, entry } of document.agents) {
    if (named.size === NAMED_MAX) break
    if (named.has(url)) continue
    const field = `authorized_agents[${entry}].url`
    named.set(url, { url, field, ...(authorized_for !== undefined && { authorized_for }) })
  }
  const agents = [...named.values()]
  const places = findFaultPlaces(text, agents)
  return agents.map((agent, at) => ({ ...agent, ...places[at] }))
}
