import { z } from 'zod'
import { visibilities } from '../../core/tiers.ts'
import { agentTypes } from '../documents/vocabulary.ts'
import { ApiKey } from '../identity.ts'
import { AgentUrl, Success } from '../shared-fields.ts'

export const ApiKeys = z
  .object({ api_keys: z.array(ApiKey).describe('Active keys, oldest first') })
  .meta({ id: 'ApiKeys', description: 'An organization’s active keys, oldest first' })

export const ApiKeyMade = z
  .object({
    ...ApiKey.shape,
    value: z.string().meta({ description: 'The secret; it is shown only once' }),
  })
  .meta({ id: 'ApiKeyMade', description: 'A new API key, with its secret' })

export const ProtectedResource = z
  .object({
    resource: z.string().describe('URL of the protected resource'),
    authorization_servers: z
      .array(z.string())
      .describe('Identity providers whose tokens are accepted; empty if only API keys are'),
    bearer_methods_supported: z
      .array(z.string())
      .describe('Where a credential is sent: always in the header `Authorization`'),
    scopes_supported: z.array(z.string()).describe('Scopes that a token can have'),
  })
  .meta({
    id: 'ProtectedResource',
    description: 'A protected resource, and the issuers of its tokens (RFC 9728)',
  })

const organization = {
  id: z.string().describe('Permanent ID of the organization, for the parameter `org`'),
  name: z.string().describe('Public name of the organization'),
}

export const OrganizationMade = z
  .looseObject({
    success: Success,
    organization: z.looseObject(organization).describe('The organization that the caller owns now'),
    id: organization.id
      .optional()
      .describe('The same as `organization.id`; present only with `adopted`'),
    name: organization.name
      .optional()
      .describe('The same as `organization.name`; present only with `adopted`'),
    adopted: z.literal(true).optional().meta({
      description:
        'True if an organization without members was adopted instead of a new one being created',
    }),
  })
  .meta({ id: 'OrganizationMade', description: 'The organization that the caller owns now' })

export const OrganizationRenamed = z
  .looseObject(organization)
  .meta({ id: 'OrganizationRenamed', description: 'The organization with its new name' })

export const OwnProfile = z
  .looseObject({
    organization_id: organization.id,
    slug: z.string().describe('Name of the profile in URLs'),
    display_name: z.string().describe('Name that the profile shows'),
  })
  .meta({ id: 'OwnProfile', description: 'The profile that makes an organization a member' })

/** An agent as its own member sees it. */
export const OwnAgent = z
  .looseObject({
    url: AgentUrl,
    type: z.enum(agentTypes).describe('Type of the agent, as declared by its member'),
    visibility: z
      .enum(visibilities)
      .describe('Audience: everyone, members with API access, or only your organization'),
    name: z.string().optional().describe('Name of the agent; absent if none was given'),
    health_check_url: z
      .string()
      .optional()
      .describe('URL of the agent’s health check; absent if the agent itself is probed'),
    enrolled_at: z.string().describe('Time at which the agent was added'),
  })
  .meta({ id: 'OwnAgent', description: 'An agent that your organization added' })
export type OwnAgent = z.infer<typeof OwnAgent>

export const OwnAgents = z
  .looseObject({
    agents: z.array(OwnAgent).describe('Agents in the order in which they were added'),
  })
  .meta({ id: 'OwnAgents', description: 'Your agents, in the order in which they were added' })

export const OwnAgentSaved = z
  .looseObject({
    agent: OwnAgent,
    warnings: z
      .array(
        z.looseObject({
          code: z.string().describe('Stable name of the warning, for programs'),
          agent_url: AgentUrl,
          message: z.string().describe('What was done instead, in a sentence'),
          requested: z.string().optional().describe('Visibility that the request asked for'),
          applied: z.string().optional().describe('Visibility that the agent has now'),
          reason: z.string().optional().describe('Reason in one word, such as `tier_required`'),
        }),
      )
      .optional()
      .describe(
        'Parts of the request that were not carried out as requested; absent if there are none',
      ),
    org_auto_created: z
      .literal(true)
      .optional()
      .describe('True if an organization was created for the caller'),
    profile_auto_created: z
      .literal(true)
      .optional()
      .describe('True if a private profile was created for the organization'),
  })
  .meta({ id: 'OwnAgentSaved', description: 'The agent as it is now' })

export const BillingTaken = z
  .looseObject({
    received: z.literal(true).describe('Always true: the event need not be sent again'),
    applied: z.boolean().meta({
      description:
        'Whether the event changed the membership; false for a repeated event, and for one older than the last one applied',
    }),
  })
  .meta({ id: 'BillingTaken', description: 'A billing event that was accepted' })
