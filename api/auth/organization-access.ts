import { refuse } from '../../pipeline/core/errors.ts'
import {
  hasAdminPermission,
  hasOrganizationRight,
  isAdmin,
  isReadOnly,
  type KeyPermission,
  type OrganizationRight,
  organizationRights,
} from '../../pipeline/core/roles.ts'
import type { CallerMembership, Principal } from './principal.ts'

/** Tells whether the caller belongs to an organization, whatever their role there: enough to see what is its own. */
export function isInOrganization(principal: Principal | undefined, org_id: string): boolean {
  return principal?.memberships.some(membership => membership.org_id === org_id) ?? false
}

/** Finds the membership in the organization that the caller acts for; undefined for callers without one. */
export function findOwnMembership({
  memberships,
  org_id,
}: Principal): CallerMembership | undefined {
  return memberships.find(membership => membership.org_id === org_id)
}

/** Tells whether a caller may change something for an organization; keys of it may. */
export function mayEdit({ role }: CallerMembership): boolean {
  return role === 'key' || hasOrganizationRight(role, 'edit')
}

/** Tells whether the caller is a key that only reads. */
export function isReadingKey({ permissions }: Principal): boolean {
  return isReadOnly(permissions)
}

/** Refuses with 403 what a key that only reads would change. */
export function requireWritingKey(principal: Principal): void {
  if (!isReadingKey(principal)) return
  refuse('forbidden', 'this key has the permission `read`, so it cannot change anything')
}

/** Refuses with 403 what people whose role in an organization may only read would do for it. */
export function requireEditor(membership: CallerMembership): void {
  if (mayEdit(membership)) return
  refuse('forbidden', 'viewers of an organization cannot change anything for it')
}

/**
 * Resolves the organization that a request is about: `org`, which it names by id, else the caller's own or
 * first. Refuses with 403 when the caller does not belong to it, with 400 when there is none.
 */
export function resolveOrganization(
  principal: Principal,
  org: string | undefined,
): CallerMembership {
  const { memberships, kind } = principal
  const found =
    org === undefined ? memberships[0] : memberships.find(({ org_id }) => org_id === org)
  if (found !== undefined) return found
  if (org === undefined)
    return refuse('invalid_request', 'org: you do not belong to an organization')
  const text = `org: you do not belong to the organization ${org}`
  return kind === 'key' ? refuse('cross_tenant_api_key', text) : refuse('forbidden', text)
}

/** Refuses callers without a right in the organization. Keys may only read, and need a permission. */
export function requireOrganizationRight(
  { permissions }: Principal,
  { role, org_name }: CallerMembership,
  right: OrganizationRight,
): void {
  if (role !== 'key' && hasOrganizationRight(role, right)) return
  if (role === 'key' && right === 'read' && hasAdminPermission(permissions)) return
  const { roles, text } = organizationRights[right]
  const keys = right === 'read' ? ['keys with the permission `admin:read` or `admin:*`'] : []
  const people = new Intl.ListFormat('en').format([...roles.map(name => `${name}s`), ...keys])
  refuse(
    'forbidden',
    `only ${people} of ${org_name} can ${text.charAt(0).toLowerCase()}${text.slice(1)}`,
  )
}

/** Returns the organization that a caller acts for; refuses callers without one with 403. */
export function requireOwnOrganization({ org_id }: Principal): string {
  return (
    org_id ?? refuse('forbidden', 'this requires an organization, and you do not belong to one')
  )
}

/** Refuses callers who are not admins of the registry. */
export function requireAdmin({ roles }: Principal): void {
  if (!isAdmin(roles)) refuse('forbidden', 'only admins of the registry can do that')
}

/** Names what a permission of a key is needed for. */
const keyDeeds: Readonly<Record<KeyPermission, string>> = {
  'admin:*': 'create and revoke keys',
  'admin:read': 'see its keys and its audit log',
  read: 'read',
}

/** Refuses callers without rights on the keys of the organization. */
export function requireKeyRights(
  { permissions }: Principal,
  { role, org_name }: CallerMembership,
  permission: KeyPermission,
): void {
  const managesKeys = role !== 'key' && hasOrganizationRight(role, 'keys')
  if (managesKeys || permissions.includes('admin:*') || permissions.includes(permission)) return
  refuse(
    'forbidden',
    `only owners and admins of ${org_name}, and its keys with the ${permission} permission, can ${keyDeeds[permission]}`,
  )
}
