import { z } from 'zod'
import { toAgentUrlKey } from '../../../pipeline/core/agent-url.ts'
import { toSentence } from '../../../pipeline/core/error-sentence.ts'
import { requireValue } from '../../../pipeline/core/present.ts'
import { measureBytes } from '../../../pipeline/core/truncate-json.ts'
import {
  type AgentFailed,
  AgentFormats,
  AgentProducts,
  AgentPublishers,
  type AgentReport,
  type AgentTopic,
  DiscoveredAgent,
} from '../../../pipeline/model/live/live-agent.ts'
import { explainNoAgentUrl } from '../../inputs/sale.ts'
import { buildAgeHeader, type OutboundAnswer } from '../../limits/outbound.ts'
import { defineOperation } from '../../operation/operation.ts'
import type { Services } from '../../operation/services.ts'
import { replyOk, replyRefused, type Sent } from '../../responses/reply.ts'

const SLACK_MS = 2_000
const ANSWER_BYTES_MAX = 512 * 1024

const AgentAddress = z
  .string()
  .trim()
  .max(2_048)
  .refine(text => toAgentUrlKey(text) !== undefined, {
    error: ({ input }) => explainNoAgentUrl(String(input)),
  })
  .meta({ examples: ['https://agent.example/mcp'] })

const callNote =
  'The agent is called now, without a credential. Returns 504 after ten seconds, and 502 if the response is not usable. A recent response may be reused; the `Age` header gives its age in seconds.'

const shared = {
  method: 'GET',
  group: 'Agent Probing',
  access: 'public',
  cache: 'none',
  worksWithoutStores: true,
  query: z.object({ url: AgentAddress.describe('URL of the agent to call') }),
  errors: ['invalid_request', 'bad_gateway', 'gateway_timeout', 'unavailable'],
} as const

export const discoverAgent = defineOperation({
  ...shared,
  id: 'discoverAgent',
  path: '/api/public/discover-agent',
  summary: 'Discover an agent by probing it',
  description: callNote,
  reply: { 200: DiscoveredAgent },
  handle: async ({ query: { url }, caller, services }) =>
    replyAnswer(await ask(url, 'itself', caller(), services)),
})

export const readAgentFormats = defineOperation({
  ...shared,
  id: 'getAgentFormats',
  path: '/api/public/agent-formats',
  summary: 'List an agent’s creative formats',
  description: `Returns at most 200 formats. \`offered\` is false if the agent has no task that lists them. ${callNote}`,
  reply: { 200: AgentFormats },
  handle: async ({ query: { url }, caller, services }) =>
    replyAnswer(await ask(url, 'formats', caller(), services), 'formats'),
})

export const readAgentProducts = defineOperation({
  ...shared,
  id: 'getAgentProducts',
  path: '/api/public/agent-products',
  summary: 'List a sales agent’s products',
  description: `Returns at most 200 products. \`offered\` is false if the agent has no task that lists them. ${callNote}`,
  reply: { 200: AgentProducts },
  handle: async ({ query: { url }, caller, services }) =>
    replyAnswer(await ask(url, 'products', caller(), services), 'products'),
})

export const readAgentPublishers = defineOperation({
  ...shared,
  id: 'getAgentPublishers',
  path: '/api/public/agent-publishers',
  summary: 'List the publishers whose ads an agent claims to sell',
  description:
    'This is the agent’s own claim, which authorizes nothing; the lookups show what publishers grant. ' +
    `Returns at most 200 publishers. \`offered\` is false if the agent has no task that lists them. ${callNote}`,
  reply: { 200: AgentPublishers },
  handle: async ({ query: { url }, caller, services }) =>
    replyAnswer(await ask(url, 'publishers', caller(), services), 'properties'),
})

async function ask(
  url: string,
  about: AgentTopic,
  caller: string,
  { config, outbound }: Services,
): Promise<OutboundAnswer<AgentReport | AgentFailed>> {
  return outbound.ask<'ask_agent'>({
    cacheKey: `agent ${about} ${requireValue(toAgentUrlKey(url), 'key of the address')}`,
    caller,
    ms: config.LIMITS.agentAskMs + SLACK_MS,
    request: () => ({ kind: 'ask_agent', address: url, about }),
  })
}

function replyAnswer(outcome: OutboundAnswer<AgentReport | AgentFailed>, name?: string): Sent {
  const { answer } = outcome
  if ('failed' in answer) {
    const { failed, message, reason, oauth_required } = answer
    const error = failed === 'timeout' ? 'gateway_timeout' : 'bad_gateway'
    return replyRefused(error, message, {
      message: toSentence(message),
      reason,
      ...(oauth_required && { oauth_required }),
    })
  }
  if ('discovered' in answer) return replyBounded(answer.discovered, outcome)
  const { items, offered, total } = answer.list
  const truncated = total > items.length
  return replyBounded(
    { success: true, [requireValue(name, 'name of the list')]: items, offered, total, truncated },
    outcome,
  )
}

function replyBounded(body: object, outcome: { ageMs: number }): Sent {
  if (measureBytes(body) <= ANSWER_BYTES_MAX) return replyOk(body, buildAgeHeader(outcome))
  return replyRefused('bad_gateway', 'the agent’s answer is too large', { reason: 'protocol' })
}
