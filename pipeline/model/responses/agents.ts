import { z } from 'zod'
import { agentTypes, Metric } from '../documents/index.ts'
import { listedGrantFacts } from '../operator-side.ts'
import {
  AgentUrl,
  AuthorizedFor,
  describeCut,
  MeantDomain,
  PropertyTags,
  PublisherDomain,
  pageEnd,
} from '../shared-fields.ts'
import { ComplianceSummary } from './compliance.ts'
import { FreshnessBlock } from './freshness.ts'
import { MemberName, PublisherEntry } from './publishers.ts'

const text = z.string()
const texts = z.array(text)
const flag = z.boolean()
const count = z.int().nonnegative()

export { MemberName, PublisherEntry }

export const creativeOperations = ['build', 'validate', 'preview'] as const
export const verificationModes = ['spec', 'live'] as const

export const AgentHealth = z
  .looseObject({
    online: flag.describe('Whether the agent responded to the last probe'),
    status: z.enum(['online', 'offline']).describe('The same as `online`, as a word'),
    checked_at: text.describe('Time of the last probe'),
    response_time_ms: count
      .optional()
      .describe(
        'Time that the agent took to list its tools, in milliseconds; absent if it did not',
      ),
    tools_count: count
      .optional()
      .describe('Number of tools that the agent offers; absent while it is offline'),
    resources_count: count
      .optional()
      .describe('Number of resources that the agent offers over MCP; absent if it declares none'),
    error: text.optional().describe('Why the probe failed, in one word such as `timeout`'),
  })
  .meta({ id: 'AgentHealth', description: 'Result of an agent’s last probe' })
export type AgentHealth = z.infer<typeof AgentHealth>

const reached = {
  property_count: count.describe('Number of active properties covered by grants in force'),
  publisher_count: count.describe('Number of publishers that authorize the agent'),
}

export const AgentStats = z
  .looseObject({
    ...z.object(reached).partial().shape,
    publishers: texts
      .optional()
      .describe(
        'Domains of the first hundred publishers that authorize the agent; `/v1/agents/{url}/publishers` lists all',
      ),
    creative_formats: count
      .optional()
      .describe('Number of formats that the agent claims to handle'),
  })
  .meta({ id: 'AgentStats', description: 'How much publishers authorize an agent to sell' })
export type AgentStats = z.infer<typeof AgentStats>

/** A format that an agent supports. */
export const SupportedFormat = z.object({
  capability_id: text.optional().describe('ID that the agent gives the capability'),
  format: z
    .looseObject({
      format_kind: text.describe('Kind of format, such as `image`'),
      publisher_domain: text
        .optional()
        .describe(
          'Domain of the publisher that defines the format; absent if any publisher’s format fits',
        ),
      format_option_id: text.optional().describe('ID that the publisher gives the format'),
      params: z
        .record(text, z.unknown())
        .optional()
        .describe('Dimensions and limits of the format, as the agent states them'),
    })
    .describe('Creative format that the agent handles'),
  operations: z
    .array(z.enum(creativeOperations))
    .min(1)
    .describe('What the agent can do with creatives of the format'),
})
export type SupportedFormat = z.infer<typeof SupportedFormat>

const StandardOperations = z
  .record(text, flag)
  .describe(
    'Steps of a purchase that the agent’s tools support, with names such as `can_create_order`',
  )

const CreativeCapabilities = z
  .looseObject({
    supported_formats: z.array(SupportedFormat).describe('Formats that the agent claims to handle'),
    can_generate: flag.describe('Whether the agent has a tool that generates creatives'),
    can_validate: flag.describe('Whether the agent has a tool that validates creatives'),
    can_preview: flag.describe('Whether the agent has a tool that previews creatives'),
  })
  .describe('What a creative agent can do; absent for an agent without such tools')

const SignalsCapabilities = z
  .looseObject({
    audience_types: texts.describe('Kinds of audiences that the agent claims to know'),
    can_match: flag.describe('Whether the agent has a tool that matches audiences'),
    can_activate: flag.describe('Whether the agent has a tool that activates signals'),
    can_get_signals: flag.describe('Whether the agent has a tool that finds signals'),
  })
  .describe('What a signals agent can do; absent for an agent without such tools')

export const AgentCapabilitiesBlock = z
  .looseObject({
    tools_count: count.describe(
      'Number of tools that the agent offers; 0 if listing them requires a credential',
    ),
    tools: z
      .array(
        z.looseObject({
          name: text.describe('Name of the tool, as used in calls'),
          description: text.describe(
            'What the tool does, in the agent’s words, in at most 300 characters',
          ),
        }),
      )
      .optional()
      .describe('The tools of the agent, at most a hundred'),
    tools_truncated: flag.optional().describe('True if the agent has more than a hundred tools'),
    oauth_required: flag
      .optional()
      .describe('True if some of the agent’s tools require a credential'),
    standard_operations: StandardOperations.optional(),
    creative_capabilities: CreativeCapabilities.optional(),
    signals_capabilities: SignalsCapabilities.optional(),
    measurement_capabilities: z
      .looseObject({
        metrics: z.array(Metric).describe('Metrics that the agent claims to deliver'),
      })
      .optional()
      .describe('What a measurement agent can deliver; absent if it declares no metric'),
  })
  .meta({
    id: 'AgentCapabilities',
    description: 'Capabilities that an agent declared in the last probe, not verified',
  })
export type AgentCapabilitiesBlock = z.infer<typeof AgentCapabilitiesBlock>

const AgentContact = z
  .looseObject({
    name: text.describe('Name of the member that added the agent'),
    email: text.describe('Always empty: the registry shows no email addresses'),
    website: text.describe('Always empty: members are not asked for a website'),
  })
  .describe('How to reach the people behind the agent')

const PropertySummary = z
  .looseObject({
    total_count: count.describe('Number of active properties covered by grants in force'),
    count_by_type: z
      .record(text, count)
      .describe('Number of active properties of each type, such as `website`'),
    tags: PropertyTags.describe('The first hundred tags of the properties'),
    publisher_count: count.describe('Number of publishers that authorize the agent'),
  })
  .describe(
    'What a sales agent can sell; absent if not requested, or if the agent can sell nothing',
  )

export const AgentEntry = z
  .looseObject({
    url: AgentUrl,
    agent_url: AgentUrl.describe('The same as `url`'),
    name: text.describe(
      'Name that the agent gives itself; otherwise the name that its member gave it, or the member’s own name',
    ),
    type: text.describe(
      'Type of the agent, such as `sales`, as declared by its member or indicated by its tools',
    ),
    protocol: z.enum(['mcp', 'a2a']).describe('Protocol of the agent; `mcp` if both work'),
    description: text.describe(
      'Description that the agent gives itself; otherwise the name of the member that added it',
    ),
    mcp_endpoint: text.describe('URL of the agent’s MCP server; the same as `url`'),
    contact: AgentContact,
    member: MemberName,
    added_date: text.describe('Time at which the member added the agent'),
    health: AgentHealth.optional(),
    compliance: ComplianceSummary.optional(),
    stats: AgentStats.optional(),
    capabilities: AgentCapabilitiesBlock.optional(),
    publisher_domains: texts
      .optional()
      .describe(
        'Domains of the first hundred publishers that authorize the agent; only with `properties=true`',
      ),
    publisher_domains_truncated: flag
      .optional()
      .describe('True if there are more publishers; `/v1/agents/{url}/publishers` lists all'),
    property_summary: PropertySummary.optional(),
  })
  .meta({ id: 'Agent', description: 'An agent that a member added' })
export type AgentEntry = z.infer<typeof AgentEntry>

export const AgentList = z
  .looseObject({
    agents: z
      .array(AgentEntry)
      .describe('Agents on this page, in the order in which they were added'),
    count: count.describe('Number of agents on this page'),
    total: count.describe('Number of agents on all pages'),
    agents_truncated: flag
      .optional()
      .describe('True if the page was cut because it would be too long'),
    ...pageEnd,
  })
  .meta({ id: 'AgentList', description: 'A page of agents that members added' })

export const AgentLookup = z
  .looseObject({
    agent_url: AgentUrl,
    name: text.optional().describe('Name that the agent gives itself; absent if it has none'),
    type: z
      .enum(agentTypes)
      .optional()
      .describe('Type of the agent, as declared or as its tools indicate; absent if unknown'),
    operator: text
      .optional()
      .describe(
        'Domain whose brand.json names the agent, otherwise the domain of its site; absent if neither is known',
      ),
    ...reached,
    health: AgentHealth.optional().describe(
      'Result of the last probe, without `resources_count`; absent if the agent was never probed, or if the member keeps the agent private',
    ),
    compliance: ComplianceSummary.optional().describe(
      'The agent’s test results; absent if there are none, or if they are not public',
    ),
    freshness: FreshnessBlock,
  })
  .meta({ id: 'AgentLookup', description: 'What is known about an agent' })
export type AgentLookup = z.infer<typeof AgentLookup>

const OperatedAgent = z.looseObject({
  url: AgentUrl,
  name: text.describe('Name of the agent; if it has none, the name of its member or brand'),
  type: text.describe('Type of the agent, such as `sales`; `unknown` if nothing indicates one'),
  authorized_by: z
    .array(
      z.looseObject({
        publisher_domain: PublisherDomain,
        authorized_for: AuthorizedFor.optional(),
        source: z
          .enum(['adagents_json', 'agent_claim'])
          .describe('Source: the publisher’s file, or only the agent'),
        ...listedGrantFacts,
      }),
    )
    .describe('Publishers that authorize the agent, by domain, at most a hundred'),
  ...describeCut('authorized_by'),
  authorized_by_cursor: text
    .optional()
    .describe('Pass as `cursor` to `/v1/agents/{url}/publishers` to get the rest'),
  source: text
    .optional()
    .describe(
      'Source of the agent: `brand_json` if the domain’s own file names it; absent otherwise',
    ),
})

export const OperatorLookup = z
  .looseObject({
    domain: text.describe('Requested domain, normalized'),
    member: MemberName.extend({
      is_founding_member: flag
        .optional()
        .describe('Whether the organization is a founding member; only for a public profile'),
      membership_tier: text.optional().describe('Membership tier; only for a public profile'),
      membership_tier_label: text
        .optional()
        .describe('Display name of the membership tier; only for a public profile'),
    })
      .meta({
        id: 'OperatorMember',
        description: 'A member, with its tier if its profile is public',
      })
      .nullable()
      .describe('Member that owns the domain or a parent domain; null if there is none'),
    agents: z.array(OperatedAgent).describe('Agents on this page that the caller may see'),
    ...describeCut('agents'),
    ...pageEnd,
    did_you_mean: MeantDomain,
    freshness: FreshnessBlock,
  })
  .meta({
    id: 'OperatorLookup',
    description: 'A domain’s agents, and the publishers that authorize them',
  })
export type OperatorLookup = z.infer<typeof OperatorLookup>

export const PublisherList = z
  .looseObject({
    publishers: z.array(PublisherEntry).describe('Publishers on this page, by domain'),
    count: count.describe('Number of publishers on this page'),
    total: count.describe('Number of publishers on all pages'),
    ...pageEnd,
  })
  .meta({ id: 'PublisherList', description: 'A page of publishers with a valid file' })
export type PublisherList = z.infer<typeof PublisherList>
