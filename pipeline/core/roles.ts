/** Rights beyond an organization: `moderator` decides reviews, `admin` has every right of roles. */
export const roleNames = ['moderator', 'admin'] as const
export type Role = (typeof roleNames)[number]

/** Holders of roles: an API key by its id, or a person by theirs. */
export const roleHolders = ['key', 'user'] as const
export type RoleHolder = (typeof roleHolders)[number]

/** Tells whether these roles allow deciding reviews. */
export function isModerator(roles: readonly string[]): boolean {
  return roles.includes('moderator') || roles.includes('admin')
}

export function isAdmin(roles: readonly string[]): boolean {
  return roles.includes('admin')
}

/** Roles of a person in an organization, the strongest first. */
export const membershipRoles = ['owner', 'admin', 'member', 'viewer'] as const
export type MembershipRole = (typeof membershipRoles)[number]

/**
 * Rights in an organization, each with the roles that have it and its meaning. The API and the writer both
 * decide by this table.
 */
export const organizationRights = {
  read: { roles: ['owner', 'admin', 'member', 'viewer'], text: 'View organization data' },
  edit: {
    roles: ['owner', 'admin', 'member'],
    text: 'Edit hosted files, verify domains, add agents, manage webhooks',
  },
  keys: { roles: ['owner', 'admin'], text: 'List, create and revoke keys' },
  members: { roles: ['owner', 'admin'], text: 'Invite and remove members and viewers' },
  name: { roles: ['owner', 'admin'], text: 'Rename the organization' },
  managers: { roles: ['owner'], text: 'Invite, change and remove owners and admins' },
  deletion: { roles: ['owner'], text: 'Delete the organization' },
} as const satisfies Record<string, { roles: readonly MembershipRole[]; text: string }>
export type OrganizationRight = keyof typeof organizationRights

/** Tells whether a role has a right in its organization. */
export function hasOrganizationRight(role: MembershipRole, right: OrganizationRight): boolean {
  const { roles }: { roles: readonly MembershipRole[] } = organizationRights[right]
  return roles.includes(role)
}

/** Returns the right that it takes to give a role, or to take it away. */
export function getRightOverRole(role: MembershipRole): OrganizationRight {
  return role === 'owner' || role === 'admin' ? 'managers' : 'members'
}

/** Permissions of a key that acts for its organization: only reading, or also listing or managing its keys. */
export const keyPermissions = ['admin:*', 'admin:read', 'read'] as const
export type KeyPermission = (typeof keyPermissions)[number]

/** Tells whether these permissions keep a key from changing anything. */
export function isReadOnly(permissions: readonly KeyPermission[]): boolean {
  return permissions.includes('read')
}

/** Tells whether a key with these permissions may read keys, people and the audit log of its organization. */
export function hasAdminPermission(permissions: readonly KeyPermission[]): boolean {
  return permissions.includes('admin:*') || permissions.includes('admin:read')
}
