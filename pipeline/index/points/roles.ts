import type { Role, RoleHolder } from '../../core/roles.ts'
import type { StoredRoles } from '../../model/role.ts'
import type { Reader } from '../reader.ts'
import { roleKey } from '../serving-keys.ts'

/** The roles that a key or a person holds. */
export function rolesOf({ serving }: Reader, holder: RoleHolder, id: string): readonly Role[] {
  const value = serving?.get('role', roleKey(holder, id))
  return value === undefined ? [] : (JSON.parse(value.toString()) as StoredRoles).roles
}
