import { z } from 'zod'
import { badgeRoles } from '../badge.ts'
import { AgentUrl } from '../shared-fields.ts'
import { VerifiedBadge } from './compliance.ts'

const text = z.string()
const role = z.enum(badgeRoles).describe('Part of the protocol that the badge is for')

export const AgentVerification = z
  .object({
    agent_url: AgentUrl,
    verified: z.boolean().describe('Whether the agent has a badge'),
    badges: z
      .array(VerifiedBadge)
      .describe('What it is verified for now; empty where it is for nothing'),
    registry_url: text.describe('Address at which this registry answers for the agent'),
  })
  .meta({ id: 'AgentVerification', description: 'Badges of an agent.' })

export const BadgeEmbed = z
  .object({
    agent_url: AgentUrl,
    role,
    verified: z.boolean().describe('Whether the agent has the badge now'),
    adcp_version: text
      .optional()
      .describe('Version that the badge is pinned to; absent where it is not'),
    badge_svg_url: text.describe('Address of the picture, which follows what holds'),
    registry_url: text.describe('Address at which this registry answers for the agent'),
    html: text.describe('The badge for a page, with a link'),
    markdown: text.describe('The same as Markdown'),
  })
  .meta({ id: 'BadgeEmbed', description: 'A badge for pages of others.' })

export const BadgeToken = z
  .object({
    agent_url: AgentUrl,
    role,
    adcp_version: text.describe('Version of the protocol, as MAJOR.MINOR'),
    token: text.describe('JSON Web Token (EdDSA), signed with a key of `/.well-known/jwks.json`'),
    expires_at: z.iso.datetime().describe('Moment after which it proves nothing'),
  })
  .meta({ id: 'BadgeToken', description: 'A badge as a signed token.' })

export const BadgeCheck = z
  .object({
    valid: z.boolean().describe('Whether the registry signed it, and the badge holds now'),
    reason: z
      .enum(['not_signed_here', 'expired', 'badge_lost'])
      .optional()
      .describe('Why it is not valid; absent where it is'),
    agent_url: text
      .optional()
      .describe('Agent that the token is about; absent where it is not ours'),
    role: text.optional().describe('Part of the protocol; absent where it is not ours'),
    adcp_version: text.optional().describe('Version of the protocol; absent where it is not ours'),
    expires_at: text.optional().describe('Moment at which it ends; absent where it is not ours'),
  })
  .meta({ id: 'BadgeCheck', description: 'What a token of a badge is worth.' })
export type BadgeCheck = z.infer<typeof BadgeCheck>
