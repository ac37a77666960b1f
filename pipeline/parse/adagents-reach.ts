import { limitReach, REACH_MAX } from '../model/agents-reach.ts'
import type { AgentEntry, PropertyEntry } from '../model/documents/index.ts'
import type { Accepted } from './accepted-items.ts'
import type { ObjectReader } from './object-reader.ts'

/** Leaves out the entries beyond what one file may reach, and reports them. */
export function leaveOutBroad(
  root: ObjectReader,
  agents: Accepted<AgentEntry>[],
  properties: readonly PropertyEntry[],
  domain: string | undefined,
): { agents: Accepted<AgentEntry>[]; leftOut: AgentEntry[] } {
  const items = agents.map(({ item }) => item)
  const fitting = new Set(limitReach(items, properties, domain))
  const leftOut = agents.filter(({ item }) => !fitting.has(item))
  const [first] = leftOut
  if (first === undefined) return { agents, leftOut: [] }
  root.faults.leftOut.add('agents')
  root.error(
    'authorized_agents',
    'too_broad',
    `reach more than ${REACH_MAX} properties in all: from ${first.part.field} on, ${leftOut.length} that select any were left out`,
  )
  return {
    agents: agents.filter(({ item }) => fitting.has(item)),
    leftOut: leftOut.map(({ item }) => item),
  }
}
