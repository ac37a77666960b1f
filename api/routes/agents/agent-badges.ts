import { z } from 'zod'
import { BADGE_MODES, type Badge, type BadgeRole } from '../../../pipeline/model/badge.ts'
import { AgentVerification, BadgeEmbed } from '../../../pipeline/model/responses/badges.ts'
import { resolveAgentUrl } from '../../../pipeline/read/lookups/agent-urls.ts'
import { BadgeAgent, BadgePath, PinnedBadgePath, requireRole } from '../../inputs/badge.ts'
import { defineOperation } from '../../operation/operation.ts'
import { describeEmbed } from '../../responses/badge-embed.ts'
import { drawBadge } from '../../responses/badge-svg.ts'
import {
  buildVerificationUrl,
  findBadge,
  listBadges,
  toVerifiedBadge,
} from '../../responses/badges.ts'
import { findMeant } from '../../responses/meant-agents.ts'
import { replyOk, type Sent } from '../../responses/reply.ts'

const declared = { method: 'GET', group: 'Agent Compliance', access: 'public' } as const

export const readVerification = defineOperation({
  ...declared,
  id: 'getAgentVerification',
  path: '/api/registry/agents/:encodedUrl/verification',
  summary: 'List an agent’s badges',
  description:
    'An agent earns a badge for a part of the protocol when every stable specialism that it claims ' +
    'there passes its storyboards in a full run. A badge ends when they do not pass for 48 hours, ' +
    'when the agent is not tested for three intervals, or when it is no longer public. An ' +
    'unknown agent has none.',
  cache: 'none',
  params: z.object(BadgeAgent),
  reply: { 200: AgentVerification },
  errors: ['invalid_request'],
  handle: async ({ params: { encodedUrl }, services: { reader, baseUrl } }) => {
    const agent_url = resolveAgentUrl(reader, encodedUrl)
    const badges = listBadges(reader, agent_url).map(badge => toVerifiedBadge(agent_url, badge))
    const registry_url = buildVerificationUrl(baseUrl(), agent_url)
    const meant = await findMeant(reader, agent_url)
    return replyOk({ agent_url, verified: badges.length > 0, badges, registry_url, ...meant })
  },
})

const SVG = 'image/svg+xml'
/** Headers that allow other sites to show a badge, and a browser to run nothing in it. */
const pictureHeaders = {
  'cache-control': 'public, max-age=0, s-maxage=0, must-revalidate',
  'content-security-policy': "default-src 'none'",
  'cross-origin-resource-policy': 'cross-origin',
  'x-content-type-options': 'nosniff',
}

const drawn = {
  ...declared,
  cache: 'unshared',
  reply: { 200: { type: SVG } },
  responseHeaders: ['ETag'],
  errors: ['invalid_request'],
} as const

export const drawAgentBadge = defineOperation({
  ...drawn,
  id: 'getAgentBadge',
  path: '/api/registry/agents/:encodedUrl/badge/:role.svg',
  isFile: true,
  summary: 'Get an agent’s badge as an image',
  description:
    'Returns a self-contained SVG. If the agent has no badge, the image is gray and says so.',
  params: BadgePath,
  handle: ({ params: { encodedUrl, role }, services: { reader } }) => {
    const known = requireRole(role)
    return replyPicture(known, findBadge(reader, resolveAgentUrl(reader, encodedUrl), known))
  },
})

export const drawPinnedBadge = defineOperation({
  ...drawn,
  id: 'getAgentBadgeOfVersion',
  path: '/api/registry/agents/:encodedUrl/badge/:role/:version.svg',
  isFile: true,
  summary: 'Get an agent’s badge for a protocol version as an image',
  description: 'The image is gray if the agent has no badge for this version of the protocol.',
  params: PinnedBadgePath,
  handle: ({ params: { encodedUrl, role, version }, services: { reader } }) => {
    const known = requireRole(role)
    const agentUrl = resolveAgentUrl(reader, encodedUrl)
    return replyPicture(known, findBadge(reader, agentUrl, known, version), version)
  },
})

/** Part of an ETag without a badge. */
const NOT_VERIFIED = 'nv'

function replyPicture(role: BadgeRole, badge: Badge | undefined, version?: string): Sent {
  const modes = badge ? [...BADGE_MODES].sort().join('+') : NOT_VERIFIED
  const { adcp_version = NOT_VERIFIED, state = NOT_VERIFIED } = badge ?? {}
  const shown = [role, adcp_version, modes, state, version ?? 'any']
  return {
    ...replyOk(drawBadge(role, badge, version), pictureHeaders),
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
  summary: 'Get the embed code of an agent’s badge',
  description:
    'Returns HTML and Markdown that always show the current badge, with a link to this registry.',
  params: BadgePath,
  handle: ({ params: { encodedUrl, role }, services }) =>
    replyOk(describeEmbed({ agentUrl: encodedUrl, role: requireRole(role) }, services)),
})

export const embedPinnedBadge = defineOperation({
  ...embedded,
  id: 'getAgentBadgeEmbedOfVersion',
  path: '/api/registry/agents/:encodedUrl/badge/:role/:version/embed',
  summary: 'Get the embed code of an agent’s badge for a protocol version',
  description:
    'Works like the embed code of an agent’s badge, but for one version of the protocol.',
  params: PinnedBadgePath,
  handle: ({ params: { encodedUrl, role, version }, services }) =>
    replyOk(describeEmbed({ agentUrl: encodedUrl, role: requireRole(role), version }, services)),
})
