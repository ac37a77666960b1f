import { z } from 'zod'
import { Success } from './shared-fields.ts'

/** Topics on which a caller can question an agent. */
export const agentTopics = ['itself', 'formats', 'products', 'publishers'] as const
export type AgentTopic = (typeof agentTopics)[number]

const text = z.string()
const freely = z.record(text, z.unknown())
const count = z.int().nonnegative()

export const DiscoveredAgent = z
  .looseObject({
    name: text.describe('Name that the agent gives itself; else its host'),
    description: text.optional().describe('What it says of itself; absent where it says nothing'),
    protocols: z.array(z.enum(['mcp', 'a2a'])).describe('Protocols by which it answered'),
    type: z
      .enum(['sales', 'signals', 'creative', 'unknown'])
      .describe('What its tools show it to be'),
    tools_count: count.describe('How many tools it offers over MCP'),
    tools: z
      .array(
        z.looseObject({
          name: text.describe('Name by which the tool is called'),
          description: text.optional().describe('What the tool does, in the agent’s words'),
        }),
      )
      .describe('Tools that it offers over MCP, in its own order'),
    stats: z
      .looseObject({
        format_count: count.optional().describe('Formats that it lists; absent if not asked'),
        product_count: count.optional().describe('Products that it lists; absent if not asked'),
        publisher_count: count.optional().describe('Publishers that it lists; absent if not asked'),
      })
      .describe('How much it lists'),
  })
  .meta({ id: 'DiscoveredAgent', description: 'What an agent says of itself' })
export type DiscoveredAgent = z.infer<typeof DiscoveredAgent>

/** Creates the schema of a list that an agent gave. `offered` is false when the agent has no task for it. */
function createListSchema<Name extends string>(name: Name) {
  const items = z.array(freely).describe(`The ${name} as the agent gave them, the first of many`)
  const list = { [name]: items } as Record<Name, z.ZodArray<typeof freely>>
  return z.looseObject({
    success: Success,
    ...list,
    offered: z.boolean().describe('Whether the agent has a task for it at all'),
    total: count.describe('How many the agent gave'),
    truncated: z
      .boolean()
      .describe('Whether some are left out here; the agent itself gives all of them'),
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
  message: string
  oauth_required?: true
}
