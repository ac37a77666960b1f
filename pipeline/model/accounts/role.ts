import { z } from 'zod'
import { roleHolders, roleNames } from '../../core/roles.ts'
import { toUserId } from '../../core/user-id.ts'

const role = {
  role: z.enum(roleNames),
  holder: z.enum(roleHolders),
  /** Id of the key, or of the person, who may be named by the subject of their tokens. */
  id: z
    .string()
    .trim()
    .min(1)
    .max(255)
    .transform(id => toUserId(id) ?? id),
}

/** Operations on roles. Repeating one changes nothing. */
export const roleOperations = [
  z.object({ op: z.literal('role.grant'), ...role }),
  z.object({ op: z.literal('role.revoke'), ...role }),
] as const
