import { z } from 'zod'
import { Success } from '../shared-fields.ts'

/** Topics on which a caller can question an agent. */
export const agentTopics = ['itself', 'formats', 'products', 'publishers'] as const
export type AgentTopic = (typeof agentTopics)[number]

const text = z.string()
const anyObject = z.record(text, z.unknown())
const count = z.int().nonnegative()

export const DiscoveredAgent = z
  .looseObject({
    name: text.describe('Name that the agent gives itself; otherwise its host'),
    description: text
      .optional()
      .describe('Description that the agent gives itself; absent if it gives none'),
    protocols: z.array(z.enum(['mcp', 'a2a'])).describe('Protocols over which the agent responded'),
    type: z
      .enum(['sales', 'signals', 'creative', 'unknown'])
      .describe('Type that the agent’s tools indicate'),
    tools_count: count.describe('Number of tools that the agent offers over MCP'),
    tools: z
      .array(
        z.looseObject({
          name: text.describe('Name of the tool, as used in calls'),
          description: text.optional().describe('What the tool does, in the agent’s words'),
        }),
      )
      .describe('Tools that the agent offers over MCP, in its own order'),
    stats: z
      .looseObject({
        format_count: count
          .optional()
          .describe('Number of formats that the agent lists; absent if not requested'),
        product_count: count
          .optional()
          .describe('Number of products that the agent lists; absent if not requested'),
        publisher_count: count
          .optional()
          .describe('Number of publishers that the agent lists; absent if not requested'),
      })
      .describe('Counts of what the agent lists'),
  })
  .meta({ id: 'DiscoveredAgent', description: 'Self-description of an agent' })
export type DiscoveredAgent = z.infer<typeof DiscoveredAgent>

/** Creates the schema of a list that an agent gave. `offered` is false when the agent has no task for it. */
function createListSchema<Name extends string>(name: Name) {
  const items = z
    .array(anyObject)
    .describe(`The ${name} as the agent returned them; only the first ones if there are many`)
  const list = { [name]: items } as Record<Name, z.ZodArray<typeof anyObject>>
  return z.looseObject({
    success: Success,
    ...list,
    offered: z.boolean().describe('Whether the agent has a task that returns this list'),
    total: count.describe('Number of items that the agent returned'),
    truncated: z
      .boolean()
      .describe('Whether some items are left out here; the agent itself returns all of them'),
  })
}

export const AgentFormats = createListSchema('formats').meta({
  id: 'AgentFormats',
  description: 'Formats that a live agent lists',
})
export const AgentProducts = createListSchema('products').meta({
  id: 'AgentProducts',
  description: 'Products that a live agent lists',
})
export const AgentPublishers = createListSchema('properties').meta({
  id: 'AgentInventory',
  description: 'Properties that a live agent lists',
})

/** An agent's answer on a topic. */
export type AgentReport = { discovered: DiscoveredAgent } | { list: AgentList }

export interface AgentList {
  items: Record<string, unknown>[]
  offered: boolean
  /** Number of items that the agent gave. */
  total: number
}

/** Reason why there is no answer, without private details. */
export interface AgentFailed {
  failed: 'timeout' | 'no_answer'
  /** Kind of the failure, for programs. */
  reason: 'network' | 'tls' | 'timeout' | 'protocol' | 'unknown'
  message: string
  oauth_required?: true
}
