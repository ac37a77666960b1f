import { z } from 'zod'
import { AgentLookup } from '../../../pipeline/model/responses/agents.ts'
import { findProbedAgent } from '../../../pipeline/read/lookups/agent-profiles.ts'
import { resolveAgentUrl } from '../../../pipeline/read/lookups/agent-urls.ts'
import { findAgent, type KnownAgent } from '../../../pipeline/read/lookups/agents.ts'
import { getMembers } from '../../../pipeline/read/lookups/members.ts'
import { isPublicAgent } from '../../../pipeline/read/lookups/public-agents.ts'
import { findFreshness } from '../../../pipeline/read/lookups/stored.ts'
import { toHealth } from '../../../pipeline/read/queries/agent-entries.ts'
import type { Reader } from '../../../pipeline/read/reader.ts'
import { parseAgent } from '../../inputs/sale.ts'
import { defineOperation } from '../../operation/operation.ts'
import { findComplianceSummary } from '../../responses/compliance.ts'
import { findMeant } from '../../responses/meant-agents.ts'
import { replyOk, replyRefused } from '../../responses/reply.ts'

export const lookUpAgent = defineOperation({
  id: 'lookUpAgent',
  method: 'GET',
  path: '/api/registry/agents/:encodedUrl',
  group: 'Agent Discovery',
  summary: 'Look up an agent',
  description:
    'Returns whether the agent responded to the last probe, who operates it, how much it can sell, and how its tests went. ' +
    'A member’s private agent counts as unknown unless a publisher names it.',
  access: 'public',
  cache: 'none',
  params: z.object({ encodedUrl: z.string().describe('URL of the agent, percent-encoded') }),
  reply: { 200: AgentLookup },
  errors: ['invalid_request', 'not_found'],
  handle: async ({ params: { encodedUrl }, services: { reader } }) => {
    const requestedUrl = parseAgent('encodedUrl', encodedUrl)
    const agent = findAgent(reader, resolveAgentUrl(reader, requestedUrl))
    if (isPublicAgent(reader, agent.agent_url)) return replyOk(describeAgent(reader, agent))
    return replyRefused('not_found', `no agent is known at ${requestedUrl}`, {
      agent_url: agent.agent_url,
      ...(await findMeant(reader, agent.agent_url)),
    })
  },
})

function describeAgent(reader: Reader, agent: KnownAgent): AgentLookup {
  const { agent_url, operator, publisher_count, property_count } = agent
  const isTestedForAll = getMembers(reader).findPublicEnroller(agent_url) !== undefined
  const compliance = isTestedForAll ? findComplianceSummary(reader, agent_url) : undefined
  return {
    agent_url,
    ...describeProbe(reader, agent_url),
    ...(operator && { operator: operator.domain }),
    publisher_count,
    property_count,
    ...(compliance && { compliance }),
    freshness: findFreshness(reader, 'agent', agent_url),
  }
}

/** Describes what an agent said and whether it answered. */
function describeProbe(
  reader: Reader,
  agentUrl: string,
): Pick<AgentLookup, 'name' | 'type' | 'health'> {
  const probed = findProbedAgent(reader, agentUrl)
  const { profile, outcome = null, checked_at = null, took_ms = null } = probed
  const { name, type, tools_count = null } = profile ?? {}
  const health = toHealth({ outcome, checked_at, took_ms, tools_count })
  return {
    ...(name && { name }),
    ...(type !== undefined && type !== 'unknown' && { type }),
    ...(health && { health }),
  }
}
