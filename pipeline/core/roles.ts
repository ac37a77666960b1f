/** What a caller may do beyond its organization: `moderator` decides reviews, `admin` does all that roles allow. */
export const roleNames = ['moderator', 'admin'] as const
export type Role = (typeof roleNames)[number]

/** Who can hold a role: an API key by its id, or a person by the subject of their tokens. */
export const roleHolders = ['key', 'user'] as const
export type RoleHolder = (typeof roleHolders)[number]

/** Whether these roles let somebody decide what others handed in. */
export function isModerator(roles: readonly string[]): boolean {
  return roles.includes('moderator') || roles.includes('admin')
}

export function isAdmin(roles: readonly string[]): boolean {
  return roles.includes('admin')
}
