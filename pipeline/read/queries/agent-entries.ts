import { getEffect } from '../../core/outcomes.ts'
import type {
  AgentCapabilitiesBlock,
  AgentEntry,
  AgentHealth,
  AgentStats,
} from '../../model/responses/agents.ts'
import type { EnrolledAgent } from '../lookups/members.ts'
import type { AgentFacts, AgentReach, AgentStatements } from './agent-facts.ts'

/** Enrichments of each agent in a list. */
export interface Enrichments {
  health: boolean
  capabilities: boolean
  properties: boolean
}

const TOOLS_MAX = 100
const TAGS_MAX = 100
const TOOL_WORDS_MAX = 300

/** Converts a row to an agent as the list shows it, without empty blocks. */
export function toAgentEntry(
  agent: EnrolledAgent,
  facts: AgentFacts | undefined,
  reach: AgentReach | undefined,
  wanted: Enrichments,
): AgentEntry {
  const { url, name, type, enrolled_at, member } = agent
  const { slug, display_name } = member
  const protocols = facts?.protocols ?? []
  const protocol = protocols.length > 0 && !protocols.includes('mcp') ? 'a2a' : 'mcp'
  return {
    url,
    agent_url: url,
    name: facts?.name || name || display_name,
    type,
    protocol,
    description: facts?.statements?.description ?? display_name,
    mcp_endpoint: url,
    contact: { name: display_name, email: '', website: '' },
    member: { slug, display_name },
    added_date: enrolled_at,
    ...(wanted.health && omitEmpty('health', facts && toHealth(facts))),
    ...(wanted.health && omitEmpty('stats', facts && toStats(facts, reach))),
    ...(wanted.capabilities && omitEmpty('capabilities', facts && toCapabilities(facts, type))),
    ...(wanted.properties && type === 'sales' && facts && toProperties(facts, reach)),
  }
}

function omitEmpty<Name extends string, Block>(name: Name, block: Block | undefined) {
  return block === undefined ? {} : ({ [name]: block } as Record<Name, Block>)
}

/** Result of the last probe of an agent, from wherever it is known. */
type Probe = Pick<AgentFacts, 'outcome' | 'checked_at' | 'took_ms' | 'tools_count'> & {
  statements?: Pick<AgentStatements, 'resources_count'>
}

/** Converts the last probe of an agent to its health; undefined before the first. */
export function toHealth(facts: Probe): AgentHealth | undefined {
  const { outcome, checked_at, took_ms, tools_count } = facts
  const resources_count = facts.statements?.resources_count ?? null
  if (outcome === null || checked_at === null) return undefined
  const online = getEffect(outcome) === 'success'
  return {
    online,
    status: online ? 'online' : 'offline',
    checked_at,
    ...(took_ms !== null && { response_time_ms: took_ms }),
    ...(online && tools_count !== null && { tools_count }),
    ...(online && resources_count !== null && { resources_count }),
    ...(!online && { error: outcome }),
  }
}

function toStats(facts: AgentFacts, reach: AgentReach | undefined): AgentStats | undefined {
  const { property_count, publisher_count } = facts
  const formats = facts.statements?.formats_count ?? null
  const stats: AgentStats = {
    ...(property_count !== null && { property_count }),
    ...(publisher_count !== null && { publisher_count }),
    ...(reach !== undefined && { publishers: reach.publishers }),
    ...(formats !== null && { creative_formats: formats }),
  }
  return Object.keys(stats).length > 0 ? stats : undefined
}

function toCapabilities(
  { statements: said, outcome, needs_auth }: AgentFacts,
  type: string,
): AgentCapabilitiesBlock | undefined {
  if (said === undefined) {
    return outcome === 'needs_auth' ? { tools_count: 0, oauth_required: true } : undefined
  }
  const { tools, operations, measurement, supported_formats, audience_types } = said
  const { standard, creative, signals } = operations
  const offers = (block: Record<string, boolean>) => Object.values(block).some(Boolean)
  return {
    tools_count: tools.length,
    tools: tools.slice(0, TOOLS_MAX).map(({ name, description }) => ({
      name,
      description: (description ?? '').slice(0, TOOL_WORDS_MAX),
    })),
    ...(tools.length > TOOLS_MAX && { tools_truncated: true }),
    ...((needs_auth || outcome === 'needs_auth') && { oauth_required: true }),
    ...((type === 'sales' || offers(standard)) && { standard_operations: standard }),
    ...((type === 'creative' || offers(creative) || supported_formats.length > 0) && {
      creative_capabilities: { supported_formats, ...creative },
    }),
    ...((type === 'signals' || offers(signals) || audience_types.length > 0) && {
      signals_capabilities: { audience_types, ...signals },
    }),
    ...(measurement !== undefined && { measurement_capabilities: measurement }),
  }
}

function toProperties(facts: AgentFacts, reach: AgentReach | undefined) {
  const { property_count, publisher_count, tags } = facts
  if (!property_count || reach === undefined) return undefined
  return {
    publisher_domains: reach.publishers,
    ...(reach.publishers.length < (publisher_count ?? 0) && { publisher_domains_truncated: true }),
    property_summary: {
      total_count: property_count,
      count_by_type: reach.count_by_type,
      tags: (tags ?? []).slice(0, TAGS_MAX),
      publisher_count: publisher_count ?? 0,
    },
  }
}
