import { z } from 'zod'
import { badgeRoles } from '../badge.ts'
import { AgentUrl } from '../shared-fields.ts'
import { DidYouMean } from './authority.ts'
import { VerifiedBadge } from './compliance.ts'

const text = z.string()
const role = z.enum(badgeRoles).describe('Part of the protocol that the badge is for')

export const AgentVerification = z
  .object({
    agent_url: AgentUrl,
    verified: z.boolean().describe('Whether the agent has a badge'),
    badges: z.array(VerifiedBadge).describe('Badges that the agent has now; empty if it has none'),
    registry_url: text.describe('URL of the agent’s badges at this registry'),
    did_you_mean: DidYouMean.optional(),
  })
  .meta({ id: 'AgentVerification', description: 'Badges of an agent' })

export const BadgeEmbed = z
  .object({
    agent_url: AgentUrl,
    role,
    verified: z.boolean().describe('Whether the agent has the badge now'),
    adcp_version: text
      .optional()
      .describe('Version of the protocol that the badge is pinned to; absent if it is not pinned'),
    badge_svg_url: text.describe('URL of the SVG image, which always shows the current state'),
    registry_url: text.describe('URL of the agent’s badges at this registry'),
    html: text.describe('HTML that shows the badge and links to the registry'),
    markdown: text.describe('Markdown that shows the badge and links to the registry'),
  })
  .meta({ id: 'BadgeEmbed', description: 'A badge to embed in a web page' })

export const BadgeToken = z
  .object({
    agent_url: AgentUrl,
    role,
    adcp_version: text.describe('Version of the protocol, as MAJOR.MINOR'),
    token: text.describe('JSON Web Token (EdDSA), signed with a key from `/.well-known/jwks.json`'),
    expires_at: z.iso.datetime().describe('Time at which the token expires'),
  })
  .meta({ id: 'BadgeToken', description: 'A badge as a signed token' })

export const BadgeCheck = z
  .object({
    valid: z
      .boolean()
      .describe(
        'Whether this registry signed the token, it has not expired, and the agent has the badge now',
      ),
    reason: z
      .enum(['not_signed_here', 'expired', 'badge_lost'])
      .optional()
      .describe('Why the token is not valid; absent if it is'),
    agent_url: text
      .optional()
      .describe(
        'URL of the agent that the token names; absent if this registry did not sign the token',
      ),
    role: text
      .optional()
      .describe(
        'Part of the protocol that the badge is for; absent if this registry did not sign the token',
      ),
    adcp_version: text
      .optional()
      .describe('Version of the protocol; absent if this registry did not sign the token'),
    expires_at: text
      .optional()
      .describe('Expiry of the token; absent if this registry did not sign the token'),
  })
  .meta({ id: 'BadgeCheck', description: 'Result of checking a badge’s token' })
export type BadgeCheck = z.infer<typeof BadgeCheck>
