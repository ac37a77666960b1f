/**
 * Rights beyond an organization: `moderator` decides reviews, `admin` does all that roles allow.
 */
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
