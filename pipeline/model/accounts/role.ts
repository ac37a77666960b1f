import { z } from 'zod'
import { roleHolders, roleNames } from '../../core/roles.ts'

const role = {
  role: z.enum(roleNames),
  holder: z.enum(roleHolders),
  /** Id of the key, or the subject of the person. */
  id: z.string().trim().min(1).max(255),
}

/** Operations on roles. Repeating one changes nothing. */
export const roleOperations = [
  z.object({ op: z.literal('role.grant'), ...role }),
  z.object({ op: z.literal('role.revoke'), ...role }),
] as const
