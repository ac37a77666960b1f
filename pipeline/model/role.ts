import { z } from 'zod'
import { roleHolders, roleNames } from '../core/roles.ts'

const role = {
  role: z.enum(roleNames),
  holder: z.enum(roleHolders),
  /** Id of the key, or the subject of the person. */
  id: z.string().trim().min(1).max(255),
}

/** What may be asked about roles. Asking again for what stands changes nothing. */
export const roleOperations = [
  z.object({ op: z.literal('role.grant'), ...role }),
  z.object({ op: z.literal('role.revoke'), ...role }),
] as const

/** Who holds which roles, as the serving store has it. */
export const StoredRoles = z.object({
  holder: z.enum(roleHolders),
  id: z.string(),
  roles: z.array(z.enum(roleNames)),
})
export type StoredRoles = z.infer<typeof StoredRoles>
