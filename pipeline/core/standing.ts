import { createHash } from 'node:crypto'

/** Roles of a person in an organization: owners and admins also manage its keys. */
export const membershipRoles = ['owner', 'admin', 'member'] as const
export type MembershipRole = (typeof membershipRoles)[number]

/** Permissions of a key besides acting for its organization: manage keys, or only list them. */
export const keyPermissions = ['admin:*', 'admin:read'] as const
export type KeyPermission = (typeof keyPermissions)[number]

const SUBJECT = /^[\x21-\x7e]{1,255}$/

/**
 * Converts the subject of an identity provider to the id of a person, which is public as the id of
 * an editor. A subject that may be an e-mail address is hashed. Undefined where it is no subject.
 */
export function toUserId(subject: unknown): string | undefined {
  if (typeof subject !== 'string' || !SUBJECT.test(subject)) return undefined
  if (!subject.includes('@')) return subject
  return `user_${createHash('sha256').update(subject.toLowerCase()).digest('base64url')}`
}
