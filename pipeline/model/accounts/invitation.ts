import { z } from 'zod'
import { membershipRoles } from '../../core/roles.ts'
import { EmailAddress } from './person.ts'

const id = z.uuid()
/** SHA-256 of the token in the link, hex. */
const hash = z.string().regex(/^[0-9a-f]{64}$/)

/** Operations of invitations. They name the token of a link only by its hash. */
export const invitationOperations = [
  z.object({
    op: z.literal('invitation.create'),
    invitation_id: id,
    org_id: id,
    email: EmailAddress,
    role: z.enum(membershipRoles),
    hash,
    expires_at: z.string(),
    /** Pending invitations that an organization may have. */
    most: z.int().min(1),
  }),
  z.object({ op: z.literal('invitation.revoke'), invitation_id: id, org_id: id }),
  /** Accepts the invitation of a link; the verified address of the person must be the invited one. */
  z.object({
    op: z.literal('invitation.accept'),
    hash,
    user_id: z.string().min(1).max(255),
    email: EmailAddress,
  }),
] as const

/** A pending invitation. */
export const StoredInvitation = z.object({
  invitation_id: z.string(),
  org_id: z.string(),
  org_name: z.string(),
  email: z.string(),
  role: z.enum(membershipRoles),
  created_at: z.string(),
  expires_at: z.string(),
})
export type StoredInvitation = z.infer<typeof StoredInvitation>

/** Somebody who belongs to an organization. */
export const StoredMembership = z.object({
  org_id: z.string(),
  user_id: z.string(),
  role: z.enum(membershipRoles),
  joined_at: z.string(),
  email: z.string().nullable(),
  name: z.string().nullable(),
})
export type StoredMembership = z.infer<typeof StoredMembership>
