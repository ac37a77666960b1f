/** Rights beyond an organization: `moderator` decides reviews, `admin` has every right of roles. */
export const roleNames = ['moderator', 'admin'] as const
export type Role = (typeof roleNames)[number]

/** Holders of roles: an API key by its id, or a person by the subject of their tokens. */
export const roleHolders = ['key', 'user'] as const
export type RoleHolder = (typeof roleHolders)[number]

/** Tells whether these roles allow deciding reviews. */
export function isModerator(roles: readonly string[]): boolean {
  return roles.includes('moderator') || roles.includes('admin')
}

export function isAdmin(roles: readonly string[]): boolean {
  return roles.includes('admin')
}

/** Roles of a person in an organization: owners and admins also manage its keys. */
export const membershipRoles = ['owner', 'admin', 'member'] as const
export type MembershipRole = (typeof membershipRoles)[number]

/** Permissions of a key besides acting for its organization: manage keys, or only list them. */
export const keyPermissions = ['admin:*', 'admin:read'] as const
export type KeyPermission = (typeof keyPermissions)[number]
