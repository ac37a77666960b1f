import { z } from 'zod'
import { refuse } from '../../pipeline/core/errors.ts'
import { describeChoices } from '../../pipeline/core/validation-messages.ts'
import { EnrolledUrl } from '../../pipeline/model/accounts/member.ts'
import { type BadgeRole, badgeRoles } from '../../pipeline/model/badge.ts'

/** Path parameter of operations on the badges of an agent. */
export const BadgeAgent = {
  encodedUrl: EnrolledUrl.describe('URL of the agent, percent-encoded'),
}
/** Path parameters of operations on one badge. */
export const BadgePath = z.object({
  ...BadgeAgent,
  role: z
    .string()
    .max(100)
    .describe(`Part of the protocol: ${badgeRoles.join(', ')}`),
})
/** Path parameters of operations on a badge for one version of the protocol. */
export const PinnedBadgePath = BadgePath.extend({
  version: z
    .string()
    .regex(/^[1-9][0-9]{0,3}\.[0-9]{1,3}$/, 'must be MAJOR.MINOR such as 3.0')
    .describe('Version of the protocol, as MAJOR.MINOR'),
})

/** Returns the role of this name, or refuses with the names that there are. */
export function requireRole(role: string): BadgeRole {
  const known = badgeRoles.find(name => name === role)
  if (known) return known
  const message = `role: ${describeChoices(badgeRoles)}`
  return refuse('invalid_role', message, { message, valid_roles: [...badgeRoles] })
}
