import { z } from 'zod'
import { FreshnessBlock } from './answers.ts'
import { Identifier } from './documents.ts'

const text = z.string()
const count = z.int().nonnegative()

export const Side = z.enum(['match', 'mismatch', 'unknown'])

export const Sides = z.looseObject({ publisher: Side, operator: Side }).meta({
  id: 'AuthorizationSides',
  description:
    'What the publisher’s adagents.json and the brand.json of the agent’s operator say of the sale',
})

export const Evidence = z
  .looseObject({
    side: z.enum(['publisher', 'operator']),
    domain: text.optional(),
    property_rid: text.optional(),
    property_id: text.optional(),
    file: text.optional(),
    file_state: text.optional(),
    fetched_at: text.optional(),
    entry: text.optional(),
    authorization_type: text.optional(),
    delegation_type: text.optional(),
    names_agent: z.boolean().optional(),
    rule: text,
    says: Side,
    text,
  })
  .meta({
    id: 'AuthorizationEvidence',
    description:
      'One step of the reasoning: which file, which entry of it, when it was last read, and which ' +
      'rule let the sale through or stopped it',
  })
export type Evidence = z.infer<typeof Evidence>

const explained = { evidence: z.array(Evidence).optional() }

export const PublisherAuthorization = z
  .looseObject({
    publisher_domain: text,
    agent_url: text,
    authorized: count,
    total: count,
    publisher_wide: z.boolean(),
    source: text,
    authorized_for: text.optional(),
    unauthorized_properties: z.array(
      z.looseObject({ id: text.optional(), name: text.optional(), type: text.optional() }),
    ),
    unauthorized_properties_total: count.optional(),
    unauthorized_properties_truncated: z.boolean().optional(),
    sides: Sides,
    confirmed: z.boolean(),
    freshness: FreshnessBlock,
    ...explained,
  })
  .meta({
    id: 'PublisherAuthorization',
    description: 'How many of a publisher’s properties an agent may sell',
  })

export const AgentPublisher = z
  .looseObject({
    publisher_domain: text,
    discovery_method: text,
    manager_domain: text.nullable(),
    properties_authorized: count,
    properties_total: count,
    property_ids: z.array(text).optional(),
    signing_keys_pinned: z.boolean(),
    status: z.enum(['authorized', 'revoked']),
    last_verified_at: text,
  })
  .meta({ id: 'AgentPublisher', description: 'A publisher as it stands to an agent' })
export type AgentPublisher = z.infer<typeof AgentPublisher>

export const AgentPublishers = z
  .looseObject({
    agent_url: text,
    directory_indexed_at: text.nullable(),
    freshness: FreshnessBlock,
    publishers: z.array(AgentPublisher),
    next_cursor: text.nullable(),
  })
  .meta({ id: 'AgentPublishers', description: 'A page of the publishers of an agent' })

export const PropertyLookup = z
  .looseObject({
    type: text,
    value: text,
    agents: z.array(
      z.looseObject({
        agent_url: text,
        publisher_domain: text,
        property: z.looseObject({
          id: text,
          property_id: text,
          publisher_domain: text,
          property_type: text,
          name: text,
          identifiers: z.array(Identifier),
          tags: z.array(text),
        }),
      }),
    ),
    count,
    agents_total: count.optional(),
    agents_truncated: z.boolean().optional(),
  })
  .meta({ id: 'PropertyLookup', description: 'Agents that may sell what an identifier names' })

export const AgentDomains = z
  .looseObject({
    agent_url: text,
    domains: z.array(text),
    count,
    freshness: FreshnessBlock,
    domains_total: count.optional(),
    domains_truncated: z.boolean().optional(),
    next_cursor: text.optional(),
  })
  .meta({ id: 'AgentDomains', description: 'Publishers that grant an agent anything' })

export const PropertyAuthorization = z
  .looseObject({
    agent_url: text,
    identifier_type: text,
    identifier_value: text,
    authorized: z.boolean(),
    property_id: text.optional(),
    property_rid: text.optional(),
    publisher_domain: text.optional(),
    sides: Sides,
    confirmed: z.boolean(),
    checked_at: text,
    freshness: FreshnessBlock,
    ...explained,
  })
  .meta({ id: 'PropertyAuthorization', description: 'Whether an agent may sell a property' })

export const ProductAuthorization = z
  .looseObject({
    agent_url: text,
    authorized: z.boolean(),
    coverage_percentage: count,
    total_requested: count,
    total_authorized: count,
    selectors: z.array(
      z.looseObject({
        publisher_domain: text.nullable(),
        selection_type: text,
        requested_count: count,
        authorized_count: count,
        unauthorized_items: z.array(text).optional(),
        source: z.enum(['adagents_json', 'agent_claim', 'none']),
        sides: Sides,
      }),
    ),
    sides: Sides,
    confirmed: z.boolean(),
    checked_at: text,
    freshness: FreshnessBlock,
    ...explained,
  })
  .meta({ id: 'ProductAuthorization', description: 'Whether an agent may sell a whole product' })

export const ProductIdentifiers = z
  .looseObject({
    agent_url: text,
    properties: z.array(
      z.looseObject({
        publisher_domain: text,
        property_id: text,
        property_name: text,
        property_type: text,
        identifiers: z.array(Identifier),
        tags: z.array(text),
      }),
    ),
    identifiers: z.array(Identifier.extend({ property_id: text, publisher_domain: text }).loose()),
    property_count: count,
    identifier_count: count,
    properties_total: count.optional(),
    properties_truncated: z.boolean().optional(),
    next_cursor: text.optional(),
    generated_at: text,
    ...explained,
  })
  .meta({
    id: 'ProductIdentifiers',
    description: 'What a product comes to, identifier by identifier',
  })
