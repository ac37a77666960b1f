import { refuse } from '../../pipeline/core/errors.ts'
import {
  hasOrganizationRight,
  isAdmin,
  type KeyPermission,
  type OrganizationRight,
  organizationRights,
} from '../../pipeline/core/roles.ts'
import type { Belonging, Principal } from './principal.ts'

/** Tells whether the caller may act for an organization. */
export function canActFor(principal: Principal | undefined, org_id: string): boolean {
  return principal?.belongings.some(belonging => belonging.org_id === org_id) ?? false
}

/**
 * Resolves the organization that a request is about: `org`, which it names by id, else the caller's own or
 * first. Refuses with 403 when the caller does not belong to it, with 400 when there is none.
 */
export function resolveOrganization(principal: Principal, org: string | undefined): Belonging {
  const { belongings, kind } = principal
  const found = org === undefined ? belongings[0] : belongings.find(({ org_id }) => org_id === org)
  if (found !== undefined) return found
  if (org === undefined) return refuse('invalid_request', 'org: you belong to no organization')
  const text = `org: you do not belong to the organization ${org}`
  return kind === 'key' ? refuse('cross_tenant_api_key', text) : refuse('forbidden', text)
}

/** Returns the caller as one who acts for the organization that the request names, instead of their first. */
export function selectOrganization(principal: Principal, org: string): Principal {
  const { org_id, org_name } = resolveOrganization(principal, org)
  return { ...principal, org_id, org_name }
}

/** Refuses writes of persons whose role in the organization they act for only reads. */
export function requireWriter({ kind, org_id, belongings }: Principal): void {
  if (kind === 'key') return
  const role = belongings.find(belonging => belonging.org_id === org_id)?.role
  if (role === undefined || role === 'key' || hasOrganizationRight(role, 'edit')) return
  refuse('forbidden', 'viewers of an organization change nothing for it')
}

/** Refuses callers without a right in the organization. Keys only read, with a permission of their own. */
export function requireOrganizationRight(
  { permissions }: Principal,
  { role, org_name }: Belonging,
  right: OrganizationRight,
): void {
  if (role !== 'key' && hasOrganizationRight(role, right)) return
  if (role === 'key' && right === 'read' && permissions.length > 0) return
  const roles = organizationRights[right].roles.map(name => `${name}s`).join(', ')
  refuse('forbidden', `only these people of ${org_name} can do that: ${roles}`)
}

/** Returns the organization that a caller acts for; refuses callers without one with 403. */
export function requireOwnOrganization({ org_id }: Principal): string {
  return org_id ?? refuse('forbidden', 'this requires an organization, and you belong to none')
}

/** Refuses callers who are no admin of the registry. */
export function requireAdmin({ roles }: Principal): void {
  if (!isAdmin(roles)) refuse('forbidden', 'only admins of the registry do that')
}

/** Refuses callers without rights on the keys of the organization. */
export function requireKeyRights(
  { permissions }: Principal,
  { role, org_name }: Belonging,
  permission: KeyPermission,
): void {
  const managesKeys = role !== 'key' && hasOrganizationRight(role, 'keys')
  if (managesKeys || permissions.includes('admin:*') || permissions.includes(permission)) return
  refuse(
    'forbidden',
    `only owners and admins of ${org_name}, and its keys with the permission ${permission}, can do that`,
  )
}
