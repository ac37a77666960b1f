import { z } from 'zod'
import { SECOND } from '../../../pipeline/core/clock.ts'
import { PublicError, refuse, refuseNotSetUp } from '../../../pipeline/core/errors.ts'
import { SECRET_CHARS_MIN } from '../../../pipeline/core/keys/sealing.ts'
import {
  type AgentCredential,
  encryptCredential,
  isLongEnough,
} from '../../../pipeline/model/agent-credential.ts'
import { ClientCredentials, nameFault } from '../../../pipeline/model/client-credentials.ts'
import { tokenTypes } from '../../../pipeline/model/compliance.ts'
import {
  AgentAuthStatus,
  AgentConnected,
  type AgentRefreshed,
  TokenTested,
} from '../../../pipeline/model/responses/monitoring.ts'
import { findAgentCredential } from '../../../pipeline/read/lookups/agent-tests.ts'
import { requireOwnOrganization } from '../../auth/organization-access.ts'
import { OrganizationQuery } from '../../auth/organization-query.ts'
import {
  AgentParams,
  ChosenOrganization,
  deriveContextId,
  findOwner,
  organization_id,
} from '../../checks/own-agent.ts'
import { defineOperation } from '../../operation/operation.ts'
import type { Services } from '../../operation/services.ts'
import { unwrapAnswer } from '../../operation/submission-result.ts'
import { noContent, replyOk } from '../../responses/reply.ts'
import { writeErrors } from '../write-errors.ts'
import { askAgent } from './refresh.ts'
import { type Asking, describeJob, runBriefJob } from './run-jobs.ts'

const declared = {
  group: 'Agent Compliance',
  access: 'bearer',
  cache: 'private',
  pathComesFirst: true,
  params: z.object(AgentParams),
} as const
const place = '/api/registry/agents/:encodedUrl'

export const readAuthStatus = defineOperation({
  ...declared,
  id: 'getAgentAuthStatus',
  method: 'GET',
  path: `${place}/auth-status`,
  summary: 'Check whether the registry has an agent’s credential',
  description:
    'The credential itself is never shown. For another organization’s agent, `has_auth` is always false.',
  // A copy, which selects no organization: naming that of others is answered as well, with nothing.
  query: OrganizationQuery.meta({}),
  reply: { 200: AgentAuthStatus },
  errors: ['invalid_request'],
  handle: ({ params: { encodedUrl }, query: { org }, principal, services: { reader } }) => {
    const org_id = findOwner(principal, encodedUrl, reader, org)?.org_id
    const known = org_id && findAgentCredential(reader, org_id, encodedUrl)
    return replyOk({
      has_auth: Boolean(known),
      agent_context_id: known ? deriveContextId(org_id, encodedUrl) : null,
      auth_type: known ? known.auth_type : null,
      has_oauth_token: false,
      has_valid_oauth: false,
      oauth_token_expires_at: null,
      has_oauth_client_credentials: known ? known.auth_type === 'oauth_client_credentials' : false,
      saved_at: known ? known.saved_at : null,
    })
  },
})

/** Schema of a credential: headers carry only visible ASCII characters unchanged. */
const Token = z
  .string()
  .min(1)
  .max(4_096)
  .regex(/^[\x21-\x7e]+$/, 'must be visible ASCII characters without spaces')

export const connectAgent = defineOperation({
  ...declared,
  id: 'connectAgent',
  method: 'PUT',
  path: `${place}/connect`,
  summary: 'Set the credential for testing an agent',
  description:
    'The credential is stored encrypted, sent only to this agent, and never shown. It replaces an earlier one. The agent is called at once to check whether it accepts the credential (`refresh`); this counts as a step of a storyboard. Without `auth_token`, nothing changes. Your organization must have ' +
    'added the agent. Returns 503 if this registry does not store credentials.',
  writes: true,
  agentOwner: 'named',
  body: z
    .object({
      auth_token: Token.optional().describe(
        'The credential; for `basic` the user and the password, separated by a colon',
      ),
      auth_type: z
        .enum(tokenTypes)
        .default('bearer')
        .describe('How the credential is sent: as `bearer` or as `basic`'),
      organization_id,
    })
    .refine(
      ({ auth_token, auth_type }) =>
        auth_token === undefined || isLongEnough(auth_type, auth_token),
      {
        path: ['auth_token'],
        message: `the secret must have at least ${SECRET_CHARS_MIN} characters`,
      },
    ),
  reply: { 200: AgentConnected },
  errors: writeErrors,
  handle: async ({ params: { encodedUrl: agent_url }, body, principal, signal, services }) => {
    const { auth_type, auth_token } = body
    const org_id = requireOwnOrganization(principal)
    const place = { org_id, agent_url }
    if (auth_token === undefined) return replyOk(describeConnection(place, services))
    const credential = { auth_type, auth_token }
    return replyOk(await saveCredential(credential, place, { principal, signal, services }))
  },
})

export const saveClientCredentials = defineOperation({
  ...declared,
  id: 'saveAgentClientCredentials',
  method: 'PUT',
  path: `${place}/oauth-client-credentials`,
  summary: 'Set the OAuth client credentials for testing an agent',
  description:
    'Before each run, a token is requested from the token endpoint, which must be an https URL on the public ' +
    'internet; the token is not stored. The credentials are stored encrypted and never shown. They replace ' +
    'earlier ones. Your organization must have added the agent. Each error in the body has its ' +
    'own `code` and names the `field`. Returns 503 if this registry does not store credentials.',
  writes: true,
  agentOwner: 'named',
  body: ClientCredentials.extend({ organization_id }),
  nameFault,
  reply: { 200: AgentConnected },
  errors: [
    ...writeErrors,
    'invalid_blob_shape',
    'missing_field',
    'invalid_field_type',
    'field_too_long',
    'field_too_short',
    'invalid_url',
    'invalid_env_reference',
    'invalid_auth_method_value',
    'array_too_many',
    'array_too_few',
    'aggregate_too_long',
  ],
  handle: async ({ params: { encodedUrl: agent_url }, body, principal, signal, services }) => {
    const { organization_id: _, ...credentials } = body
    const org_id = requireOwnOrganization(principal)
    const credential = { auth_type: 'oauth_client_credentials', credentials } as const
    const asking = { principal, signal, services }
    return replyOk(await saveCredential(credential, { org_id, agent_url }, asking))
  },
})

export const testClientCredentials = defineOperation({
  ...declared,
  id: 'testAgentClientCredentials',
  limits: ['storyboardStepsPerHour'],
  method: 'POST',
  path: `${place}/oauth-client-credentials/test`,
  summary: 'Request a token with an agent’s client credentials',
  description:
    'The token is discarded. Returns 404 if the registry has no client credentials for the agent. This counts as a step of a storyboard. Your organization must have added the agent.',
  writes: true,
  agentOwner: 'named',
  body: ChosenOrganization,
  reply: { 200: TokenTested },
  errors: ['invalid_request', 'forbidden', 'not_found', 'rate_limited', 'unavailable'],
  handle: async ({ params: { encodedUrl }, principal, signal, services }) => {
    const { reader } = services
    const org_id = requireOwnOrganization(principal)
    const known = findAgentCredential(reader, org_id, encodedUrl)
    if (known?.auth_type !== 'oauth_client_credentials') {
      return refuse('not_found', 'the registry has no client credentials of this agent')
    }
    const job = describeJob('token', encodedUrl, principal, { org_id, reader })
    const { result, headers } = await runBriefJob<'token'>(job, org_id, {
      principal,
      signal,
      services,
    })
    return replyOk(result, headers)
  },
})

export const disconnectAgent = defineOperation({
  ...declared,
  id: 'disconnectAgent',
  method: 'DELETE',
  path: `${place}/connect`,
  summary: 'Delete an agent’s credential',
  description: 'From then on, the agent is tested without a credential.',
  writes: true,
  agentOwner: 'named',
  query: OrganizationQuery,
  reply: { 204: null },
  errors: ['invalid_request', 'forbidden', 'not_found', 'unavailable'],
  handle: async ({ params: { encodedUrl: agent_url }, principal, services }) => {
    const { writer } = services
    const org_id = requireOwnOrganization(principal)
    unwrapAnswer(await writer.submit({ op: 'agent.credential.remove', agent_url, org_id }))
    return noContent
  },
})

interface Place {
  org_id: string
  agent_url: string
}

async function saveCredential(
  credential: AgentCredential,
  place: Place,
  asking: Asking,
): Promise<AgentConnected> {
  const { org_id, agent_url } = place
  const { config, writer, reader } = asking.services
  const key =
    config.CREDENTIALS_KEY ??
    refuseNotSetUp('this registry accepts no credentials: its operator has set no key')
  const sealed_secret = encryptCredential(key, credential, { org_id, agent_url })
  const { auth_type } = credential
  const op = 'agent.credential.save'
  unwrapAnswer(await writer.submit({ op, agent_url, org_id, auth_type, sealed_secret }))
  await reader.refresh()
  const refresh = await tryCredential(place, asking)
  return { ...describeConnection(place, asking.services), ...(refresh && { refresh }) }
}

function describeConnection({ org_id, agent_url }: Place, { reader }: Services): AgentConnected {
  const known = findAgentCredential(reader, org_id, agent_url)
  return {
    connected: true,
    has_auth: known !== undefined,
    agent_context_id: deriveContextId(org_id, agent_url),
    auth_type: known?.auth_type ?? null,
  }
}

/** Time for an agent to answer a call with its new credential, which is stored whatever the answer. */
const TRY_MS = 20 * SECOND

/**
 * Calls the agent with its new credential; undefined if no crawler is free, or the caller's quota is used up.
 */
async function tryCredential(place: Place, asking: Asking): Promise<AgentRefreshed | undefined> {
  const { principal, services } = asking
  try {
    const { result } = await services.storyboards.spend('step', principal, () =>
      askAgent(place, asking, TRY_MS),
    )
    return result.answer
  } catch (error) {
    if (error instanceof PublicError) return undefined
    throw error
  }
}
