import type { Role, RoleHolder } from '../../core/roles.ts'
import type { Membership, StoredPrincipal } from '../../model/identity.ts'
import { KEY_CREATORS, KEY_PREFIXES } from '../../store/private-rows/key-creators.ts'
import type { PrivateReader } from './private-rows.ts'

const VALID_KEYS = `
select k.key_id, k.org_id, o.name as org_name, o.membership_tier, k.label, k.permissions, k.created_at
from api_keys k join organizations o using (org_id) where k.revoked_at is null`

/** Finds the valid API key with this SHA-256 (hex). */
export function findPrincipal(
  { record }: PrivateReader,
  hash: string,
): StoredPrincipal | undefined {
  return record?.one(`${VALID_KEYS} and k.hash = $hash`, { hash })
}

/** Lists the active keys of an organization, oldest first. */
export function listKeys({ record }: PrivateReader, orgId: string): StoredPrincipal[] {
  return (
    record?.all(`${VALID_KEYS} and k.org_id = $orgId order by k.created_at, k.key_id`, {
      orgId,
    }) ?? []
  )
}

/** Lists the labels of all keys that an organization has or had, by their ids. */
export function listKeyLabels({ record }: PrivateReader, orgId: string): Map<string, string> {
  const rows = record?.all<{ key_id: string; label: string }>(
    'select key_id, label from api_keys where org_id = $orgId',
    { orgId },
  )
  return new Map(rows?.map(({ key_id, label }) => [key_id, label]))
}

/** Lists who created the keys of an organization, by their ids: a person by their address, a key by its label. */
export function listKeyCreators({ record }: PrivateReader, orgId: string): Map<string, string> {
  const rows = record?.all<{ key_id: string; creator: string }>(
    `select key_id, creator from (${KEY_CREATORS}) where org_id = $orgId`,
    { orgId },
  )
  return new Map(rows?.map(({ key_id, creator }) => [key_id, creator]))
}

/** Lists the first characters of the keys of an organization, by their ids, where they were stored. */
export function listKeyPrefixes({ record }: PrivateReader, orgId: string): Map<string, string> {
  const rows = record?.all<{ key_id: string; prefix: string }>(
    `select key_id, prefix from (${KEY_PREFIXES}) where org_id = $orgId`,
    { orgId },
  )
  return new Map(rows?.map(({ key_id, prefix }) => [key_id, prefix]))
}

/** Lists the organizations that a person belongs to, oldest membership first. */
export function listMemberships({ record }: PrivateReader, userId: string): readonly Membership[] {
  return (
    record?.all(
      `select m.org_id, o.name as org_name, o.membership_tier, m.role
       from memberships m join organizations o using (org_id)
       where m.user_id = $userId and m.removed_at is null order by m.joined_at, m.seq, m.org_id`,
      { userId },
    ) ?? []
  )
}

/** Lists the roles that a key or a person holds. */
export function listRoles(
  { record }: PrivateReader,
  holder: RoleHolder,
  id: string,
): readonly Role[] {
  const rows = record?.all<{ role: Role }>(
    'select role from roles where holder = $holder and id = $id and revoked_at is null order by role',
    { holder, id },
  )
  return rows?.map(({ role }) => role) ?? []
}

/** A key or a person with the roles that it holds. */
export interface RoleHolding {
  holder: RoleHolder
  id: string
  roles: Role[]
}

/** Lists all who hold a role. */
export function listRoleHolders({ record }: PrivateReader): RoleHolding[] {
  return (
    record?.all(
      `select holder, id, json_group_array(role order by role) as "roles [json]"
       from roles where revoked_at is null group by holder, id order by holder, id`,
    ) ?? []
  )
}
