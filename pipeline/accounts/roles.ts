import { toIso } from '../core/clock.ts'
import type { StoredRoles } from '../model/accounts/role.ts'
import type { Answer, OperationOf } from '../model/submission.ts'
import type { Database, Parameters } from '../store/duckdb.ts'
import type { OperationDefinitions } from './operation-definition.ts'
import type { AccountStamp } from './stamp.ts'

/** Grants a role. The person may be unknown as yet: their token will show who they are. */
export async function grantRole(
  db: Database,
  { holder, id, role }: OperationOf<'role.grant'>,
  { now, seq }: AccountStamp,
): Promise<Answer> {
  if (holder === 'key' && !(await isLiveKey(db, id))) {
    return { refused: `no live key ${id}`, error: 'not_found' }
  }
  await db.write(
    'delete from',
    'roles',
    'where holder = $holder and id = $id and role = $role and revoked_at is not null',
    { holder, id, role },
  )
  if (!(await isHolding(db, { holder, id, role }))) {
    const granted_at = toIso(now)
    await db.insert('roles', [{ holder, id, role, granted_at, revoked_at: null, seq }])
  }
  return { done: { holder, id, role } }
}

export async function revokeRole(
  db: Database,
  { holder, id, role }: OperationOf<'role.revoke'>,
  { now, seq }: AccountStamp,
): Promise<Answer> {
  const revoked = await db.write(
    'update',
    'roles',
    `set revoked_at = $now::timestamptz, seq = $seq
     where holder = $holder and id = $id and role = $role and revoked_at is null`,
    { holder, id, role, now: toIso(now), seq },
  )
  if (revoked > 0) return { done: { holder, id, role } }
  return { refused: `${holder} ${id} does not have the role ${role}`, error: 'not_found' }
}

/** Loads everybody who holds or held a role and has a row for which `where` holds, with their current roles. */
export function loadStoredRoles(
  db: Database,
  where: string,
  parameters: Parameters,
): Promise<StoredRoles[]> {
  return db.all(
    `select holder, id,
       coalesce(list(role order by role) filter (revoked_at is null), []) as roles
     from roles where (holder, id) in (select (holder, id) from roles where ${where})
     group by holder, id order by holder, id`,
    parameters,
  )
}

async function isLiveKey(db: Database, key_id: string): Promise<boolean> {
  const query = 'select 1 from api_keys where key_id = $key_id and revoked_at is null'
  return (await db.one(query, { key_id })) !== undefined
}

async function isHolding(db: Database, held: { holder: string; id: string; role: string }) {
  const query = 'select 1 from roles where holder = $holder and id = $id and role = $role'
  return (await db.one(query, held)) !== undefined
}

const role = { table: 'roles', where: 'holder = $holder and id = $id and role = $role' }

export const roleDefinitions: OperationDefinitions<'role.grant' | 'role.revoke'> = {
  'role.grant': {
    perform: grantRole,
    watches: [role],
    updateRights: (rights, held) => rights.grantRole(held),
    invert: operation => ({ ...operation, op: 'role.revoke' }),
  },
  'role.revoke': {
    perform: revokeRole,
    watches: [role],
    updateRights: (rights, held) => rights.revokeRole(held),
    invert: operation => ({ ...operation, op: 'role.grant' }),
  },
}
