import { createHash } from 'node:crypto'

/** Roles of a person in an organization: owners and admins also manage its keys. */
export const membershipRoles = ['owner', 'admin', 'member'] as const
export type MembershipRole = (typeof membershipRoles)[number]

/** Permissions of a key besides acting for its organization: manage keys, or only list them. */
export const keyPermissions = ['admin:*', 'admin:read'] as const
export type KeyPermission = (typeof keyPermissions)[number]

const SUBJECT = /^[\x21-\x7e]{1,255}$/

/**
 * The id by which the registry knows a person: the subject that the identity provider gave, which
 * stands in public stores as the id of an editor. One that may be an e-mail address is hashed.
 * Undefined for what is no subject.
 */
export function toUserId(subject: unknown): string | undefined {
  if (typeof subject !== 'string' || !SUBJECT.test(subject)) return undefined
  if (!subject.includes('@')) return subject
  return `user_${createHash('sha256').update(subject.toLowerCase()).digest('base64url')}`
}
