import { z } from 'zod'
import { FreshnessBlock } from './answers.ts'
import { Metric } from './documents.ts'

const text = z.string()
const texts = z.array(text)
const flag = z.boolean()
const count = z.int().nonnegative()

export const creativeOperations = ['build', 'validate', 'preview'] as const
export const verificationModes = ['spec', 'live'] as const

export const MemberName = z
  .looseObject({ slug: text, display_name: text })
  .meta({ id: 'MemberName', description: 'Which member' })
export type MemberName = z.infer<typeof MemberName>

export const AgentHealth = z
  .looseObject({
    online: flag,
    /** The same as a word. */
    status: z.enum(['online', 'offline']),
    checked_at: text,
    response_time_ms: count.optional(),
    tools_count: count.optional(),
    error: text.optional(),
  })
  .meta({ id: 'AgentHealth', description: 'How the last probe went' })
export type AgentHealth = z.infer<typeof AgentHealth>

export const AgentStats = z
  .looseObject({
    property_count: count.optional(),
    publisher_count: count.optional(),
    publishers: texts.optional(),
    creative_formats: count.optional(),
  })
  .meta({ id: 'AgentStats', description: 'What publishers let an agent reach' })
export type AgentStats = z.infer<typeof AgentStats>

/** A format that an agent says it can do something with. */
export const SupportedFormat = z.object({
  capability_id: text.optional(),
  format: z.looseObject({
    format_kind: text,
    publisher_domain: text.optional(),
    format_option_id: text.optional(),
  }),
  operations: z.array(z.enum(creativeOperations)).min(1),
})
export type SupportedFormat = z.infer<typeof SupportedFormat>

export const AgentCapabilitiesBlock = z
  .looseObject({
    tools_count: count,
    tools: z.array(z.looseObject({ name: text, description: text })).optional(),
    tools_truncated: flag.optional(),
    oauth_required: flag.optional(),
    standard_operations: z.record(text, flag).optional(),
    creative_capabilities: z
      .looseObject({
        supported_formats: z.array(SupportedFormat),
        can_generate: flag,
        can_validate: flag,
        can_preview: flag,
      })
      .optional(),
    signals_capabilities: z
      .looseObject({
        audience_types: texts,
        can_match: flag,
        can_activate: flag,
        can_get_signals: flag,
      })
      .optional(),
    measurement_capabilities: z.looseObject({ metrics: z.array(Metric) }).optional(),
  })
  .meta({
    id: 'AgentCapabilities',
    description: 'What an agent said it can do when it was probed last; nobody has checked it',
  })
export type AgentCapabilitiesBlock = z.infer<typeof AgentCapabilitiesBlock>

export const AgentEntry = z
  .looseObject({
    url: text,
    /** The same address. */
    agent_url: text,
    name: text,
    type: text,
    protocol: z.enum(['mcp', 'a2a']),
    description: text,
    mcp_endpoint: text,
    contact: z.looseObject({ name: text, email: text, website: text }),
    member: MemberName,
    added_date: text,
    health: AgentHealth.optional(),
    stats: AgentStats.optional(),
    capabilities: AgentCapabilitiesBlock.optional(),
    publisher_domains: texts.optional(),
    publisher_domains_truncated: flag.optional(),
    property_summary: z
      .looseObject({
        total_count: count,
        count_by_type: z.record(text, count),
        tags: texts,
        publisher_count: count,
      })
      .optional(),
  })
  .meta({ id: 'Agent', description: 'An agent that a member enrolled' })
export type AgentEntry = z.infer<typeof AgentEntry>

export const AgentList = z
  .looseObject({
    agents: z.array(AgentEntry),
    count,
    total: count,
    agents_truncated: flag.optional(),
  })
  .meta({ id: 'AgentList', description: 'Agents that members enrolled; `total` counts all pages' })

export const OperatorLookup = z
  .looseObject({
    domain: text,
    member: MemberName.extend({
      is_founding_member: flag.optional(),
      membership_tier: text.optional(),
      membership_tier_label: text.optional(),
    }).nullable(),
    agents: z.array(
      z.looseObject({
        url: text,
        name: text,
        type: text,
        authorized_by: z.array(
          z.looseObject({
            publisher_domain: text,
            authorized_for: text.optional(),
            source: z.enum(['adagents_json', 'agent_claim']),
          }),
        ),
        authorized_by_total: count.optional(),
        authorized_by_truncated: flag.optional(),
      }),
    ),
    agents_total: count.optional(),
    agents_truncated: flag.optional(),
    freshness: FreshnessBlock,
  })
  .meta({ id: 'OperatorLookup', description: 'The agents of a domain and who trusts them' })
export type OperatorLookup = z.infer<typeof OperatorLookup>

export const PublisherEntry = z
  .looseObject({
    domain: text,
    member: MemberName.optional(),
    agent_count: count,
    last_validated: text.optional(),
    has_valid_adagents: flag,
  })
  .meta({ id: 'PublisherEntry' })
export type PublisherEntry = z.infer<typeof PublisherEntry>

export const PublisherList = z
  .looseObject({
    publishers: z.array(PublisherEntry),
    count,
    total: count,
    next_cursor: text.nullable(),
  })
  .meta({ id: 'PublisherList', description: 'Publishers whose file stands, by domain' })
