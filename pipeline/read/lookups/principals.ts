import type { Role, RoleHolder } from '../../core/roles.ts'
import type { StoredRoles } from '../../model/accounts/role.ts'
import type { Membership, StoredPrincipal, StoredUser } from '../../model/identity.ts'
import { toRoleKey } from '../../serving/keys.ts'
import type { Reader } from '../reader.ts'
import { findRecord, listRecords } from './records.ts'

/** Finds the valid API key with this SHA-256 (hex). */
export function findPrincipal(reader: Reader, hash: string): StoredPrincipal | undefined {
  return findRecord(reader, 'principal', hash)
}

/** Lists the active keys of an organization, oldest first. */
export function listKeys(reader: Reader, org_id: string): StoredPrincipal[] {
  const keys = listRecords<StoredPrincipal>(reader, 'org_key', org_id)
  return keys.sort((a, b) => Date.parse(a.created_at) - Date.parse(b.created_at))
}

/** Lists the organizations that a person belongs to, oldest membership first. */
export function listMemberships(reader: Reader, userId: string): readonly Membership[] {
  return findRecord<StoredUser>(reader, 'user', userId)?.memberships ?? []
}

/** Lists the roles that a key or a person holds. */
export function listRoles(reader: Reader, holder: RoleHolder, id: string): readonly Role[] {
  return findRecord<StoredRoles>(reader, 'role', toRoleKey(holder, id))?.roles ?? []
}
