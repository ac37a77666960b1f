import { z } from 'zod'
import { visibilities } from '../core/membership.ts'
import { agentTypes } from './documents-vocabulary.ts'
import { ApiKey } from './identity.ts'

export const ApiKeys = z
  .object({ api_keys: z.array(ApiKey) })
  .meta({ id: 'ApiKeys', description: 'The keys of an organization that stand, the oldest first' })

export const ApiKeyMade = z
  .object({
    ...ApiKey.shape,
    value: z.string().meta({ description: 'The secret; it is told here and never again' }),
  })
  .meta({ id: 'ApiKeyMade', description: 'A new API key, with its secret' })

export const ProtectedResource = z
  .object({
    resource: z.string(),
    authorization_servers: z.array(z.string()),
    bearer_methods_supported: z.array(z.string()),
    scopes_supported: z.array(z.string()),
  })
  .meta({
    id: 'ProtectedResource',
    description: 'What is protected, and who gives tokens for it (RFC 9728)',
  })

const organization = { id: z.string(), name: z.string() }

export const OrganizationMade = z
  .looseObject({
    success: z.literal(true),
    organization: z.looseObject(organization),
    adopted: z
      .literal(true)
      .optional()
      .meta({ description: 'It was known already, and waited for its first person' }),
  })
  .meta({ id: 'OrganizationMade', description: 'The organization that the caller owns now' })

/** An agent as its own member sees it. */
export const OwnAgent = z
  .looseObject({
    url: z.string(),
    type: z.enum(agentTypes),
    visibility: z.enum(visibilities),
    name: z.string().optional(),
    health_check_url: z.string().optional(),
    enrolled_at: z.string(),
  })
  .meta({ id: 'OwnAgent', description: 'An agent that your organization enrolled' })
export type OwnAgent = z.infer<typeof OwnAgent>

export const OwnAgents = z
  .looseObject({ agents: z.array(OwnAgent) })
  .meta({ id: 'OwnAgents', description: 'Your agents, in the order in which they were enrolled' })

export const OwnAgentSaved = z
  .looseObject({
    agent: OwnAgent,
    warnings: z
      .array(z.looseObject({ code: z.string(), agent_url: z.string(), message: z.string() }))
      .optional()
      .meta({ description: 'What was not done as it was asked for' }),
    org_auto_created: z.literal(true).optional(),
    profile_auto_created: z.literal(true).optional(),
  })
  .meta({ id: 'OwnAgentSaved', description: 'The agent as it stands now' })

export const BillingTaken = z
  .looseObject({
    received: z.literal(true),
    applied: z
      .boolean()
      .meta({ description: 'False for an event that was taken before, or is older than another' }),
  })
  .meta({ id: 'BillingTaken', description: 'The event was taken; it need not be sent again' })
