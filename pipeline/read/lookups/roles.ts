import type { Role, RoleHolder } from '../../core/roles.ts'
import type { StoredRoles } from '../../model/role.ts'
import { toRoleKey } from '../../serving/keys.ts'
import type { Reader } from '../reader.ts'

/** Lists the roles that a key or a person holds. */
export function listRoles({ serving }: Reader, holder: RoleHolder, id: string): readonly Role[] {
  const value = serving?.get('role', toRoleKey(holder, id))
  return value === undefined ? [] : (JSON.parse(value.toString()) as StoredRoles).roles
}
