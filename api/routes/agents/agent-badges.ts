import { z } from 'zod'
import { toIso } from '../../../pipeline/core/clock.ts'
import { refuse } from '../../../pipeline/core/errors.ts'
import type { RegistryKeys } from '../../../pipeline/core/registry-keys.ts'
import {
  BADGE_MODES,
  type Badge,
  type BadgeRole,
  badgeRoles,
} from '../../../pipeline/model/badge.ts'
import { EnrolledUrl } from '../../../pipeline/model/member.ts'
import {
  AgentVerification,
  BadgeCheck,
  BadgeEmbed,
  BadgeToken,
} from '../../../pipeline/model/responses/badges.ts'
import { defineOperation } from '../../operation/operation.ts'
import type { Services } from '../../operation/services.ts'
import { describeBadge, drawBadge } from '../../responses/badge-svg.ts'
import type { BadgeClaims } from '../../responses/badge-token.ts'
import {
  buildBadgePath,
  buildVerificationUrl,
  findBadge,
  listBadges,
  toVerifiedBadge,
} from '../../responses/badges.ts'
import { replyOk, type Sent } from '../../responses/reply.ts'

const agent = { encodedUrl: EnrolledUrl.describe('Address of the agent, percent-encoded') }
const params = z.object({
  ...agent,
  role: z
    .string()
    .max(100)
    .describe(`Part of the protocol: ${badgeRoles.join(', ')}`),
})
const pinnedParams = params.extend({
  version: z
    .string()
    .regex(/^[1-9][0-9]{0,3}\.[0-9]{1,3}$/, 'must be MAJOR.MINOR such as 3.0')
    .describe('Version of the protocol, as MAJOR.MINOR'),
})

const declared = { method: 'GET', group: 'Agent Compliance', access: 'public' } as const

export const readVerification = defineOperation({
  ...declared,
  id: 'getAgentVerification',
  path: '/api/registry/agents/:encodedUrl/verification',
  summary: 'List the badges of an agent',
  description:
    'An agent earns a badge for a part of the protocol when every stable specialism that it claims ' +
    'there passes its storyboards in a full run. A badge ends when they do not pass for 48 hours, ' +
    'when the agent is not tested for three intervals, or when it is not shown to everybody any ' +
    'more. An agent that is not known has none.',
  cache: 'none',
  params: z.object(agent),
  reply: { 200: AgentVerification },
  errors: ['invalid_request'],
  handle: ({ params: { encodedUrl: agent_url }, services: { reader, baseUrl } }) => {
    const badges = listBadges(reader, agent_url).map(badge => toVerifiedBadge(agent_url, badge))
    const registry_url = buildVerificationUrl(baseUrl(), agent_url)
    return replyOk({ agent_url, verified: badges.length > 0, badges, registry_url })
  },
})

const SVG = 'image/svg+xml'
const picture = {
  'cache-control': 'public, max-age=0, s-maxage=0, must-revalidate',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; script-src 'none'",
  'cross-origin-resource-policy': 'cross-origin',
  'x-content-type-options': 'nosniff',
}

const drawn = {
  ...declared,
  cache: 'revalidate',
  reply: { 200: { type: SVG } },
  errors: ['invalid_request'],
} as const

export const drawAgentBadge = defineOperation({
  ...drawn,
  id: 'getAgentBadge',
  path: '/api/registry/agents/:encodedUrl/badge/:role.svg',
  summary: 'Get a badge of an agent as a picture',
  description: 'An SVG that needs nothing else. Without a badge it is grey and says so.',
  params,
  handle: ({ params: { encodedUrl, role }, services: { reader } }) => {
    const known = requireRole(role)
    return replyPicture(known, findBadge(reader, encodedUrl, known))
  },
})

export const drawPinnedBadge = defineOperation({
  ...drawn,
  id: 'getAgentBadgeOfVersion',
  path: '/api/registry/agents/:encodedUrl/badge/:role/:version.svg',
  summary: 'Get a badge of an agent for a version as a picture',
  description: 'Grey where the agent has no badge for this version of the protocol.',
  params: pinnedParams,
  handle: ({ params: { encodedUrl, role, version }, services: { reader } }) => {
    const known = requireRole(role)
    return replyPicture(known, findBadge(reader, encodedUrl, known, version), version)
  },
})

function replyPicture(role: BadgeRole, badge: Badge | undefined, version?: string): Sent {
  const modes = badge ? [...BADGE_MODES].sort().join('+') : 'nv'
  const shown = [role, badge?.adcp_version ?? 'nv', modes, badge?.state ?? 'nv', version ?? 'any']
  return {
    ...replyOk(drawBadge(role, badge, version), picture),
    type: SVG,
    etag: shown.join('-'),
  }
}

const embedded = {
  ...declared,
  cache: 'none',
  reply: { 200: BadgeEmbed },
  errors: ['invalid_request'],
} as const

export const embedAgentBadge = defineOperation({
  ...embedded,
  id: 'getAgentBadgeEmbed',
  path: '/api/registry/agents/:encodedUrl/badge/:role/embed',
  summary: 'Get a badge of an agent for a page',
  description: 'HTML and Markdown that show the badge as it is then, with a link to this registry.',
  params,
  handle: ({ params: { encodedUrl, role }, services }) =>
    replyOk(describeEmbed(encodedUrl, requireRole(role), services)),
})

export const embedPinnedBadge = defineOperation({
  ...embedded,
  id: 'getAgentBadgeEmbedOfVersion',
  path: '/api/registry/agents/:encodedUrl/badge/:role/:version/embed',
  summary: 'Get a badge of an agent for a version for a page',
  description: 'The same for one version of the protocol.',
  params: pinnedParams,
  handle: ({ params: { encodedUrl, role, version }, services }) =>
    replyOk(describeEmbed(encodedUrl, requireRole(role), services, version)),
})

function describeEmbed(
  agent_url: string,
  role: BadgeRole,
  { reader, baseUrl }: Pick<Services, 'reader' | 'baseUrl'>,
  version?: string,
): z.output<typeof BadgeEmbed> {
  const badge = findBadge(reader, agent_url, role, version)
  const badge_svg_url = `${baseUrl()}${buildBadgePath(agent_url, role, version)}`
  const registry_url = buildVerificationUrl(baseUrl(), agent_url)
  const alt = describeBadge(role, badge, version)
  const [picture, link] = [badge_svg_url, registry_url].map(escapeHtml)
  return {
    agent_url,
    role,
    verified: badge !== undefined,
    ...(version !== undefined && { adcp_version: version }),
    badge_svg_url,
    registry_url,
    html: `<a href="${link}"><img src="${picture}" alt="${escapeHtml(alt)}" height="24"></a>`,
    markdown: `[![${alt}](${escapeMarkdown(badge_svg_url)})](${escapeMarkdown(registry_url)})`,
  }
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, character => entities[character]!)
}

/** Escapes what would end a link, as percent codes: an encoded address may still hold parentheses. */
function escapeMarkdown(url: string): string {
  return url.replace(/[()[\]<>\s\\*_`]/g, character => {
    const code = character.charCodeAt(0).toString(16).toUpperCase()
    return character === '_' ? character : `%${code.padStart(2, '0')}`
  })
}

export const signAgentBadge = defineOperation({
  ...declared,
  id: 'getAgentBadgeToken',
  path: '/api/registry/agents/:encodedUrl/badge/:role/token',
  summary: 'Get a badge of an agent as a signed token',
  description:
    'Whoever has the keys of `/.well-known/jwks.json` can check it without asking. 404 where the ' +
    'agent has no such badge, 503 where this registry does not sign.',
  cache: 'none',
  params,
  reply: { 200: BadgeToken },
  errors: ['invalid_request', 'not_found', 'unavailable'],
  handle: async ({ params: { encodedUrl: agent_url, role }, services }) => {
    const keys = requireKeys(services)
    const badge = findBadge(services.reader, agent_url, requireRole(role))
    if (badge === undefined) return refuse('not_found', 'the agent has no badge of this role')
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
  summary: 'Check the signed token of a badge',
  description:
    'Says whether this registry signed it, whether its time is over, and whether the agent still ' +
    'has the badge: one may be lost before its token ends.',
  cache: 'none',
  body: z.object({
    token: z.string().min(1).max(8_192).describe('What proves the badge, as `…/token` gave it out'),
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
  return keys ?? refuse('unavailable', 'this registry does not sign badges')
}

function requireRole(role: string): BadgeRole {
  const known = badgeRoles.find(name => name === role)
  return (
    known ??
    refuse('invalid_request', `role: must be one of ${badgeRoles.join(', ')}`, {
      valid_values: [...badgeRoles],
    })
  )
}
