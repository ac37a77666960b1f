import { z } from 'zod'

const text = z.string()
const texts = z.array(text)
const count = z.int().nonnegative()

const inventory = {
  channels: texts,
  property_types: texts,
  markets: texts,
  categories: texts,
  tags: texts,
  delivery_types: texts,
  property_count: count,
  publisher_count: count,
  has_tmp: z.boolean(),
  category_taxonomy: text.nullable(),
}

/** What an agent reaches, flat and again as the profile that the feed tells. */
export const FoundAgent = z
  .looseObject({
    agent_url: text,
    /** The same as `agent_url`, byte for byte. */
    url: text,
    name: text,
    type: text,
    ...inventory,
    format_ids: z.array(z.looseObject({ agent_url: text.optional(), id: text })),
    relevance_score: z.number(),
    matched_filters: texts,
    updated_at: z.iso.datetime(),
    inventory_profile: z.looseObject({ ...inventory, format_ids: texts }),
    match: z.looseObject({ score: z.number(), matched_filters: texts }),
  })
  .meta({
    id: 'FoundAgent',
    description: 'An agent of the authorization graph, as search finds it',
  })
export type FoundAgent = z.infer<typeof FoundAgent>

export const AgentSearchAnswer = z
  .looseObject({ results: z.array(FoundAgent), cursor: text.nullable(), has_more: z.boolean() })
  .meta({ id: 'AgentSearch', description: 'Agents by relevance' })
export type AgentSearchAnswer = z.infer<typeof AgentSearchAnswer>
