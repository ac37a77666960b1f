import { z } from 'zod'

/** What a caller may have an agent asked about. */
export const agentTopics = ['itself', 'formats', 'products', 'publishers'] as const
export type AgentTopic = (typeof agentTopics)[number]

const text = z.string()
const freely = z.record(text, z.unknown())
const count = z.int().nonnegative()

export const DiscoveredAgent = z
  .looseObject({
    name: text,
    description: text.optional(),
    protocols: z.array(z.enum(['mcp', 'a2a'])),
    type: z.enum(['sales', 'signals', 'creative', 'unknown']),
    tools_count: count,
    tools: z.array(z.looseObject({ name: text, description: text.optional() })),
    stats: z.looseObject({
      format_count: count.optional(),
      product_count: count.optional(),
      publisher_count: count.optional(),
    }),
  })
  .meta({ id: 'DiscoveredAgent', description: 'What an agent says of itself' })
export type DiscoveredAgent = z.infer<typeof DiscoveredAgent>

/** A list that an agent gave. `offered` is false when it has no task for it. */
function listed<Name extends string>(name: Name) {
  const list = { [name]: z.array(freely) } as Record<Name, z.ZodArray<typeof freely>>
  return z.looseObject({
    success: z.literal(true),
    ...list,
    offered: z.boolean(),
    total: count,
    truncated: z.boolean(),
  })
}

export const AgentFormats = listed('formats').meta({ id: 'AgentFormats' })
export const AgentProducts = listed('products').meta({ id: 'AgentProducts' })
export const AgentPublishers = listed('properties').meta({ id: 'AgentInventory' })

/** What came of asking. */
export type AgentTold = { told: DiscoveredAgent } | { list: AgentList }

export interface AgentList {
  items: Record<string, unknown>[]
  offered: boolean
  /** How many the agent gave. */
  total: number
}

/** Why there is no answer, as anybody may be told. */
export interface AgentFailed {
  failed: 'timeout' | 'no_answer'
  message: string
  oauth_required?: true
}
