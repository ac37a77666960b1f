import { refuse } from '../../pipeline/core/errors.ts'
import { isAdmin, type KeyPermission } from '../../pipeline/core/roles.ts'
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
  const managesKeys = role === 'owner' || role === 'admin'
  if (managesKeys || permissions.includes('admin:*') || permissions.includes(permission)) return
  refuse(
    'forbidden',
    `only owners and admins of ${org_name}, and its keys with the permission ${permission}, can do that`,
  )
}
