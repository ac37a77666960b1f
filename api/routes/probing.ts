import { z } from 'zod'
import { agentUrlKey } from '../../pipeline/core/agent-url.ts'
import { bytesOf } from '../../pipeline/core/lean.ts'
import {
  type AgentFailed,
  AgentFormats,
  AgentProducts,
  AgentPublishers,
  type AgentTold,
  type AgentTopic,
  DiscoveredAgent,
} from '../../pipeline/model/live-agent.ts'
import { operation } from '../operation.ts'
import { ok, refused, type Sent } from '../reply.ts'
import type { Services } from '../services.ts'

const SLACK_MS = 2_000
const ANSWER_BYTES = 512 * 1024

const AgentAddress = z
  .string()
  .trim()
  .max(2_048)
  .refine(text => agentUrlKey(text) !== undefined, {
    error: 'must be the address of an agent such as https://agent.example/mcp',
  })
  .meta({ examples: ['https://agent.example/mcp'] })

const asked =
  'The agent is asked just now, without a credential, for at most ten seconds. 504 when that was ' +
  'not enough, 502 when it gave no usable answer, whatever the reason. Questions to the web are limited.'

const shared = {
  method: 'GET',
  group: 'Agent Probing',
  access: 'public',
  cache: 'none',
  query: z.object({ url: AgentAddress }),
  errors: ['invalid_request', 'rate_limited', 'bad_gateway', 'gateway_timeout', 'unavailable'],
} as const

export const discoverAgent = operation({
  ...shared,
  id: 'discoverAgent',
  path: '/api/public/discover-agent',
  summary: 'Ask an agent what it is and offers',
  description: asked,
  reply: { 200: DiscoveredAgent },
  handle: async ({ query: { url }, caller, services }) =>
    answered(await ask(url, 'itself', caller(), services)),
})

export const readAgentFormats = operation({
  ...shared,
  id: 'getAgentFormats',
  path: '/api/public/agent-formats',
  summary: 'Creative formats of an agent',
  description: `At most 200; \`offered\` is false when the agent has no task for it. ${asked}`,
  reply: { 200: AgentFormats },
  handle: async ({ query: { url }, caller, services }) =>
    answered(await ask(url, 'formats', caller(), services), 'formats'),
})

export const readAgentProducts = operation({
  ...shared,
  id: 'getAgentProducts',
  path: '/api/public/agent-products',
  summary: 'Products of a sales agent',
  description: `At most 200; \`offered\` is false when the agent has no task for it. ${asked}`,
  reply: { 200: AgentProducts },
  handle: async ({ query: { url }, caller, services }) =>
    answered(await ask(url, 'products', caller(), services), 'products'),
})

export const readAgentPublishers = operation({
  ...shared,
  id: 'getAgentPublishers',
  path: '/api/public/agent-publishers',
  summary: 'What an agent says it may sell',
  description:
    'A claim of the agent, which authorizes nothing: what publishers say is in the lookups. ' +
    `At most 200; \`offered\` is false when the agent has no task for it. ${asked}`,
  reply: { 200: AgentPublishers },
  handle: async ({ query: { url }, caller, services }) =>
    answered(await ask(url, 'publishers', caller(), services), 'properties'),
})

function ask(
  url: string,
  about: AgentTopic,
  caller: string,
  { budget, config, desk }: Services,
): Promise<AgentTold | AgentFailed> {
  const key = agentUrlKey(url)!
  const outward = { question: `agent ${about} ${key}`, caller, target: new URL(key).hostname }
  const ms = config.LIMITS.agentAskMs + SLACK_MS
  return budget.spend(outward, () => desk.send({ errand: 'ask_agent', address: url, about }, ms))
}

function answered(answer: AgentTold | AgentFailed, name?: string): Sent {
  if ('failed' in answer) {
    const { failed, message, oauth_required } = answer
    const error = failed === 'timeout' ? 'gateway_timeout' : 'bad_gateway'
    return refused(error, message, { message, ...(oauth_required && { oauth_required }) })
  }
  if ('told' in answer) return bounded(answer.told)
  const { items, offered, total } = answer.list
  const truncated = total > items.length
  return bounded({ success: true, [name!]: items, offered, total, truncated })
}

function bounded(body: object): Sent {
  if (bytesOf(body) <= ANSWER_BYTES) return ok(body)
  return refused('bad_gateway', 'the agent says more than can be handed on', {})
}
