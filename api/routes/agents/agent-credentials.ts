import { z } from 'zod'
import { refuse } from '../../../pipeline/core/errors.ts'
import { encryptCredential } from '../../../pipeline/model/agent-credential.ts'
import { credentialTypes } from '../../../pipeline/model/compliance.ts'
import { AgentAuthStatus, AgentConnected } from '../../../pipeline/model/responses/monitoring.ts'
import { findAgentCredential } from '../../../pipeline/read/lookups/agent-tests.ts'
import { AgentParams, findOwnOrganization, requireOwnAgent } from '../../checks/own-agent.ts'
import { defineOperation } from '../../operation/operation.ts'
import { unwrapAnswer } from '../../operation/submission-result.ts'
import { noContent, replyOk } from '../../responses/reply.ts'

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
  reply: { 200: AgentAuthStatus },
  errors: ['invalid_request'],
  handle: ({ params: { encodedUrl }, principal, services: { reader } }) => {
    const org_id = findOwnOrganization(principal, encodedUrl, reader)
    const known = org_id && findAgentCredential(reader, org_id, encodedUrl)
    return replyOk(
      known
        ? { has_auth: true, auth_type: known.auth_type, saved_at: known.saved_at }
        : { has_auth: false, auth_type: null, saved_at: null },
    )
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
      .enum(credentialTypes)
      .default('bearer')
      .describe('How it is sent: as `bearer`, or as `basic`'),
  }),
  reply: { 200: AgentConnected },
  errors: ['invalid_request', 'forbidden', 'too_large', 'unsupported_media_type', 'unavailable'],
  handle: async ({ params: { encodedUrl: agent_url }, body, principal, services }) => {
    const { reader, writer, config } = services
    const org_id = requireOwnAgent(principal, agent_url, reader)
    const key =
      config.CREDENTIALS_KEY ??
      refuse('unavailable', 'this registry takes no credentials: its operator has set no key')
    const sealed_secret = encryptCredential(key, body, { org_id, agent_url })
    const { auth_type } = body
    const op = 'agent.credential.save'
    unwrapAnswer(await writer.submit({ op, agent_url, org_id, auth_type, sealed_secret }))
    return replyOk({ connected: true, has_auth: true, auth_type })
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
  reply: { 204: null },
  errors: ['invalid_request', 'forbidden', 'not_found', 'unavailable'],
  handle: async ({ params: { encodedUrl: agent_url }, principal, services }) => {
    const { reader, writer } = services
    const org_id = requireOwnAgent(principal, agent_url, reader)
    unwrapAnswer(await writer.submit({ op: 'agent.credential.remove', agent_url, org_id }))
    return noContent
  },
})
