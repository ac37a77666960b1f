import { isSelecting, limitReach } from '../model/agents-reach.ts'
import {
  type AdagentsDocument,
  type AdagentsInline,
  type AgentEntry,
  leftOutLists,
} from '../model/documents/index.ts'

/**
 * Keeps the grants of a source when its file has grown too broad to be read as a whole: what was not read
 * ends nothing. Agents that could sell before come before new ones. If even these no longer fit, the file
 * counts as unread: the previous document stays, without the agents that are no longer listed and with the
 * revocations of the new one, which are definite.
 */
export function carryListed(
  old: AdagentsDocument | undefined,
  fresh: AdagentsDocument,
  domain: string | undefined,
): AdagentsDocument {
  if (fresh.variant === 'pointer' || fresh.left_out_agents === undefined) return fresh
  const { left_out_agents: leftOut, ...document } = fresh
  if (old?.variant !== 'inline') return document
  const selling = new Set(old.agents.filter(isSelecting).map(({ agent_url }) => agent_url))
  const couldSell = ({ agent_url }: AgentEntry) => selling.has(agent_url)
  if (!leftOut.some(couldSell)) return document
  const listed = [...document.agents, ...leftOut].sort((a, b) => a.entry - b.entry)
  const first = listed.filter(couldSell)
  const others = listed.filter(entry => !couldSell(entry))
  const fitting = new Set(limitReach([...first, ...others], document.properties, domain))
  return first.every(entry => fitting.has(entry))
    ? { ...document, agents: listed.filter(entry => fitting.has(entry)) }
    : keepListed(old, document, listed)
}

function keepListed(
  old: AdagentsInline,
  { revoked_publisher_domains, last_updated }: AdagentsInline,
  entries: readonly AgentEntry[],
): AdagentsInline {
  const listed = new Set(entries.map(({ agent_url }) => agent_url))
  return {
    ...old,
    agents: old.agents.filter(({ agent_url }) => listed.has(agent_url)),
    revoked_publisher_domains,
    ...(last_updated !== undefined && { last_updated }),
    left_out: [...leftOutLists],
  }
}
