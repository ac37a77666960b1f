import { z } from 'zod'
import { toIso } from '../../../pipeline/core/clock.ts'
import { refuse, refuseNotSetUp } from '../../../pipeline/core/errors.ts'
import type { RegistryKeys } from '../../../pipeline/core/keys/registry-keys.ts'
import { BadgeCheck, BadgeToken } from '../../../pipeline/model/responses/badges.ts'
import { resolveAgentUrl } from '../../../pipeline/read/lookups/agent-urls.ts'
import { BadgePath, requireRole } from '../../inputs/badge.ts'
import { defineOperation } from '../../operation/operation.ts'
import type { Services } from '../../operation/services.ts'
import type { BadgeClaims } from '../../responses/badge-token.ts'
import { findBadge } from '../../responses/badges.ts'
import { findMeant } from '../../responses/meant-agents.ts'
import { replyOk } from '../../responses/reply.ts'

export const signAgentBadge = defineOperation({
  method: 'GET',
  group: 'Agent Compliance',
  access: 'public',
  id: 'getAgentBadgeToken',
  path: '/api/registry/agents/:encodedUrl/badge/:role/token',
  summary: 'Get an agent’s badge as a signed token',
  description:
    'Anyone can check the token offline with the keys at `/.well-known/jwks.json`. Returns 404 if the agent has no such badge, and 503 if this registry does not sign badges.',
  cache: 'none',
  params: BadgePath,
  reply: { 200: BadgeToken },
  errors: ['invalid_request', 'not_found', 'unavailable'],
  handle: async ({ params: { encodedUrl, role }, services }) => {
    const keys = requireKeys(services)
    const { reader } = services
    const agent_url = resolveAgentUrl(reader, encodedUrl)
    const badge = findBadge(reader, agent_url, requireRole(role))
    if (badge === undefined) {
      const meant = await findMeant(reader, agent_url)
      return refuse('not_found', 'the agent has no badge of this role', meant)
    }
    const { signBadge } = await import('../../responses/badge-token.ts')
    const token = await signBadge(keys, agent_url, badge, buildSigning(services))
    const { adcp_version, expires_at } = badge
    return replyOk({ agent_url, role: badge.role, adcp_version, token, expires_at })
  },
})

export const checkBadgeToken = defineOperation({
  id: 'verifyBadgeToken',
  method: 'POST',
  group: 'Agent Compliance',
  access: 'public',
  path: '/api/registry/badges/verify',
  summary: 'Check a badge’s signed token',
  description:
    'Returns whether this registry signed the token, whether the token has expired, and whether the agent still has the badge, which may be lost before its token expires.',
  cache: 'none',
  body: z.object({
    token: z
      .string()
      .min(1)
      .max(8_192)
      .describe('The signed token of the badge, as `…/token` returned it'),
  }),
  reply: { 200: BadgeCheck },
  errors: ['invalid_request', 'unavailable'],
  handle: async ({ body: { token }, services }) => {
    const keys = requireKeys(services)
    const { readBadgeToken } = await import('../../responses/badge-token.ts')
    const claims = await readBadgeToken(keys, token, buildSigning(services))
    if (typeof claims === 'string') return replyOk({ valid: false, reason: claims })
    return replyOk(checkClaims(claims, services))
  },
})

function checkClaims(
  { agent_url, role, adcp_version, expires_at }: BadgeClaims,
  { reader }: Pick<Services, 'reader'>,
): BadgeCheck {
  const holds = findBadge(reader, agent_url, role, adcp_version) !== undefined
  return {
    valid: holds,
    ...(!holds && { reason: 'badge_lost' }),
    agent_url,
    role,
    adcp_version,
    expires_at: toIso(expires_at),
  }
}

function buildSigning({ baseUrl, reader }: Pick<Services, 'baseUrl' | 'reader'>) {
  return { issuer: baseUrl(), now: reader.now() }
}

function requireKeys({ keys }: Pick<Services, 'keys'>): RegistryKeys {
  return keys ?? refuseNotSetUp('this registry does not sign badges')
}
