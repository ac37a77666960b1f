import { z } from 'zod'
import { BadgeRole } from '../badge.ts'
import { ComplianceFacts, InventoryProfile } from '../event.ts'
import { AgentUrl, pageEnd, UpdatedAt } from '../shared-fields.ts'

const text = z.string()
const texts = z.array(text)

const score = z
  .number()
  .describe('Relevance, from matched filters, reach and trusted match; highest first')
const matched = texts.describe('Filters that the agent matches')
const format_ids = 'Formats that the agent’s capabilities name'

/** Reach of an agent, flat and again as the profile in the feed. */
export const FoundAgent = z
  .looseObject({
    agent_url: AgentUrl,
    url: AgentUrl.describe('The same as `agent_url`'),
    name: text.describe('Name of the agent; its host if it has none'),
    type: text.describe('Type of the agent, such as `sales`; `unknown` if nothing indicates one'),
    ...InventoryProfile.shape,
    format_ids: z
      .array(
        z.looseObject({
          agent_url: AgentUrl.optional(),
          id: text.describe('ID of the format at the agent in `agent_url`'),
        }),
      )
      .describe(format_ids),
    relevance_score: score,
    matched_filters: matched,
    updated_at: UpdatedAt,
    inventory_profile: z
      .looseObject({
        ...InventoryProfile.shape,
        format_ids: texts.describe(`${format_ids}, by ID`),
      })
      .describe('Facts about the agent in the form that replicas store'),
    compliance_summary: z
      .object({
        ...ComplianceFacts.shape,
        verified: z.boolean().describe('Whether the agent has a badge'),
        verified_roles: z
          .array(BadgeRole)
          .describe('Parts of the protocol for which the agent has a badge'),
      })
      .optional()
      .describe('The agent’s test results; absent if there are none, or if they are not public'),
    match: z
      .looseObject({ score, matched_filters: matched })
      .describe('How the agent matches the query'),
  })
  .meta({
    id: 'FoundAgent',
    description: 'An agent of the authorization graph, in search results',
  })
export type FoundAgent = z.infer<typeof FoundAgent>

export const AgentSearchAnswer = z
  .looseObject({
    results: z.array(FoundAgent).describe('Agents on this page, most relevant first'),
    cursor: text
      .nullable()
      .describe('Pass as `cursor` to get the next page, now or later; null if nothing was found'),
    ...pageEnd,
    unmatched_values: z
      .array(
        z.looseObject({
          parameter: text.describe('Filter that has the value, such as `channels`'),
          value: text.describe(
            'Requested value as compared: words in lowercase, countries in uppercase',
          ),
          did_you_mean: text.optional().describe('Similar value that some agents have'),
        }),
      )
      .optional()
      .describe('Requested values that no agent has; absent if agents were found'),
  })
  .meta({ id: 'AgentSearch', description: 'A page of agents by relevance' })
export type AgentSearchAnswer = z.infer<typeof AgentSearchAnswer>
