import { z } from 'zod'
import { visibilities } from '../../core/tiers.ts'
import { agentTypes } from '../documents/vocabulary.ts'
import { ApiKey } from '../identity.ts'
import { AgentUrl, Success } from '../shared-fields.ts'

export const ApiKeys = z
  .object({ api_keys: z.array(ApiKey).describe('Keys that stand, the oldest first') })
  .meta({ id: 'ApiKeys', description: 'The keys of an organization that stand, the oldest first' })

export const ApiKeyMade = z
  .object({
    ...ApiKey.shape,
    value: z.string().meta({ description: 'The secret; it is told here and never again' }),
  })
  .meta({ id: 'ApiKeyMade', description: 'A new API key, with its secret' })

export const ProtectedResource = z
  .object({
    resource: z.string().describe('Address of what is protected'),
    authorization_servers: z
      .array(z.string())
      .describe('Identity providers whose tokens are taken; empty where only API keys are'),
    bearer_methods_supported: z
      .array(z.string())
      .describe('Where a credential is sent: always in the header `Authorization`'),
    scopes_supported: z.array(z.string()).describe('What a token may be asked for'),
  })
  .meta({
    id: 'ProtectedResource',
    description: 'What is protected, and who gives tokens for it (RFC 9728)',
  })

const organization = {
  id: z.string().describe('Permanent id, by which to name it in `org`'),
  name: z.string().describe('What it calls itself'),
}

export const OrganizationMade = z
  .looseObject({
    success: Success,
    organization: z.looseObject(organization).describe('The organization that the caller owns now'),
    id: organization.id.optional().describe('The same as `organization.id`; with `adopted` only'),
    name: organization.name
      .optional()
      .describe('The same as `organization.name`; with `adopted` only'),
    adopted: z
      .literal(true)
      .optional()
      .meta({ description: 'It was known already, and waited for its first person' }),
  })
  .meta({ id: 'OrganizationMade', description: 'The organization that the caller owns now' })

/** An agent as its own member sees it. */
export const OwnAgent = z
  .looseObject({
    url: AgentUrl,
    type: z.enum(agentTypes).describe('What the agent is, as its member says'),
    visibility: z
      .enum(visibilities)
      .describe('Who is shown it: everybody, members with API access, or your organization alone'),
    name: z.string().optional().describe('Name of the agent; absent where none was given'),
    health_check_url: z
      .string()
      .optional()
      .describe('Address that tells whether it is alive; absent where it is asked itself'),
    enrolled_at: z.string().describe('Moment at which it was enrolled'),
  })
  .meta({ id: 'OwnAgent', description: 'An agent that your organization enrolled' })
export type OwnAgent = z.infer<typeof OwnAgent>

export const OwnAgents = z
  .looseObject({ agents: z.array(OwnAgent).describe('Agents in the order of enrolment') })
  .meta({ id: 'OwnAgents', description: 'Your agents, in the order in which they were enrolled' })

export const OwnAgentSaved = z
  .looseObject({
    agent: OwnAgent,
    warnings: z
      .array(
        z.looseObject({
          code: z.string().describe('Stable name of the warning, for programs'),
          agent_url: AgentUrl,
          message: z.string().describe('What was done instead, in a sentence'),
          requested: z.string().optional().describe('Visibility that was asked for'),
          applied: z.string().optional().describe('Visibility that the agent has'),
          reason: z.string().optional().describe('Why, in one word, such as `tier_required`'),
        }),
      )
      .optional()
      .describe('What was not done as it was asked for; absent where all was'),
    org_auto_created: z
      .literal(true)
      .optional()
      .describe('True where an organization was founded for the caller'),
    profile_auto_created: z
      .literal(true)
      .optional()
      .describe('True where the organization got a profile, which nobody else is shown'),
  })
  .meta({ id: 'OwnAgentSaved', description: 'The agent as it stands now' })

export const BillingTaken = z
  .looseObject({
    received: z.literal(true).describe('Always true: it need not be sent again'),
    applied: z
      .boolean()
      .meta({ description: 'False for an event that was taken before, or is older than another' }),
  })
  .meta({ id: 'BillingTaken', description: 'The event was taken; it need not be sent again' })
