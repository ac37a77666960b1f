import { z } from 'zod'
import { refuse } from '../../../pipeline/core/errors.ts'
import { deriveId } from '../../../pipeline/core/uuid-v7.ts'
import {
  type AgentCredential,
  encryptCredential,
} from '../../../pipeline/model/agent-credential.ts'
import { ClientCredentials, nameFault } from '../../../pipeline/model/client-credentials.ts'
import { tokenTypes } from '../../../pipeline/model/compliance.ts'
import {
  AgentAuthStatus,
  AgentConnected,
  TokenTested,
} from '../../../pipeline/model/responses/monitoring.ts'
import { findAgentCredential } from '../../../pipeline/read/lookups/agent-tests.ts'
import { OrganizationQuery } from '../../auth/organization-query.ts'
import {
  AgentParams,
  ChosenOrganization,
  chooseOwner,
  findChosenOwner,
  organization_id,
} from '../../checks/own-agent.ts'
import { defineOperation } from '../../operation/operation.ts'
import type { Services } from '../../operation/services.ts'
import { unwrapAnswer } from '../../operation/submission-result.ts'
import { noContent, replyOk } from '../../responses/reply.ts'
import { ownerErrors } from '../members/owner-errors.ts'
import { describeJob, runBriefJob } from './run-jobs.ts'

const declared = {
  group: 'Agent Compliance',
  access: 'bearer',
  cache: 'private',
  checksInputFirst: true,
  params: z.object(AgentParams),
} as const
const place = '/api/registry/agents/:encodedUrl'

export const readAuthStatus = defineOperation({
  ...declared,
  id: 'getAgentAuthStatus',
  method: 'GET',
  path: `${place}/auth-status`,
  summary: 'Check whether the registry has a credential of an agent',
  description: 'The credential itself is never shown. Of an agent of others nothing is told.',
  query: OrganizationQuery,
  reply: { 200: AgentAuthStatus },
  errors: ['invalid_request'],
  handle: ({ params: { encodedUrl }, query: { org }, principal, services: { reader } }) => {
    const org_id = findChosenOwner(principal, encodedUrl, reader, org)
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

/** Schema of a credential: of a header only visible characters arrive as they were sent. */
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
  summary: 'Give the credential by which an agent is tested',
  description:
    'It is kept encrypted, sent to this agent alone, and never shown. A credential that was given ' +
    'before is replaced. The agent must be enrolled by your organization. 503 where this registry ' +
    'takes none.',
  writes: true,
  body: z.object({
    auth_token: Token.describe('The credential; of `basic` the user and the password with a colon'),
    auth_type: z
      .enum(tokenTypes)
      .default('bearer')
      .describe('How it is sent: as `bearer`, or as `basic`'),
    organization_id,
  }),
  reply: { 200: AgentConnected },
  errors: ownerErrors,
  handle: async ({ params: { encodedUrl }, body, principal, services }) => {
    const org_id = chooseOwner(principal, encodedUrl, services.reader, body.organization_id)
    return replyOk(await saveCredential(body, { org_id, agent_url: encodedUrl }, services))
  },
})

export const saveClientCredentials = defineOperation({
  ...declared,
  id: 'saveAgentClientCredentials',
  method: 'PUT',
  path: `${place}/oauth-client-credentials`,
  summary: 'Give the OAuth client credentials by which an agent is tested',
  description:
    'Before each run a token is asked for at the token endpoint, which must be an https address on the public ' +
    'Internet; the token is not kept. The credentials are kept encrypted, and never shown. What was ' +
    'given before is replaced. The agent must be enrolled by your organization. A fault of the body has ' +
    'its own `code` and the `field`. 503 where this registry takes none.',
  writes: true,
  body: ClientCredentials.extend({ organization_id }),
  nameFault,
  reply: { 200: AgentConnected },
  errors: [
    ...ownerErrors,
    'invalid_blob_shape',
    'missing_field',
    'invalid_field_type',
    'field_too_long',
    'invalid_url',
    'invalid_env_reference',
    'invalid_auth_method_value',
    'array_too_many',
    'array_too_few',
    'aggregate_too_long',
  ],
  handle: async ({ params: { encodedUrl: agent_url }, body, principal, services }) => {
    const { organization_id: chosen, ...credentials } = body
    const org_id = chooseOwner(principal, agent_url, services.reader, chosen)
    const credential = { auth_type: 'oauth_client_credentials', credentials } as const
    return replyOk(await saveCredential(credential, { org_id, agent_url }, services))
  },
})

export const testClientCredentials = defineOperation({
  ...declared,
  id: 'testAgentClientCredentials',
  method: 'POST',
  path: `${place}/oauth-client-credentials/test`,
  summary: 'Ask for a token by the client credentials of an agent',
  description:
    'The token is dropped. 404 where the registry has no client credentials of the agent. Counted as a ' +
    'step of a storyboard, sixty an hour. The agent must be enrolled by your organization.',
  writes: true,
  body: ChosenOrganization,
  reply: { 200: TokenTested },
  errors: ['invalid_request', 'forbidden', 'not_found', 'rate_limited', 'unavailable'],
  handle: async ({ params: { encodedUrl }, body, principal, signal, services }) => {
    const { reader } = services
    const org_id = chooseOwner(principal, encodedUrl, reader, body?.organization_id)
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
  summary: 'Delete the credential of an agent',
  description: 'The agent is tested without one from then on.',
  writes: true,
  query: OrganizationQuery,
  reply: { 204: null },
  errors: ['invalid_request', 'forbidden', 'not_found', 'unavailable'],
  handle: async ({ params: { encodedUrl: agent_url }, query, principal, services }) => {
    const { reader, writer } = services
    const org_id = chooseOwner(principal, agent_url, reader, query.org)
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
  { org_id, agent_url }: Place,
  { config, writer }: Services,
): Promise<AgentConnected> {
  const key =
    config.CREDENTIALS_KEY ??
    refuse('unavailable', 'this registry takes no credentials: its operator has set no key')
  const sealed_secret = encryptCredential(key, credential, { org_id, agent_url })
  const { auth_type } = credential
  const op = 'agent.credential.save'
  unwrapAnswer(await writer.submit({ op, agent_url, org_id, auth_type, sealed_secret }))
  const agent_context_id = deriveContextId(org_id, agent_url)
  return { connected: true, has_auth: true, agent_context_id, auth_type }
}

/** Derives the id under which clients know an agent together with its credential. */
function deriveContextId(org_id: string, agent_url: string): string {
  return deriveId('agent_context', org_id, agent_url)
}
