import { toIso } from '../core/clock.ts'
import type { Answer, OperationOf } from '../model/submission.ts'
import type { Sqlite } from '../store/sqlite.ts'
import type { OperationDefinitions } from './operation-definition.ts'
import type { AccountStamp } from './stamp.ts'

/** Grants a role. The person may be unknown as yet: their token will show who they are. */
export function grantRole(
  db: Sqlite,
  { holder, id, role }: OperationOf<'role.grant'>,
  { now, seq }: AccountStamp,
): Answer {
  if (holder === 'key' && !isLiveKey(db, id)) {
    return { refused: `there is no active key ${id}`, error: 'not_found' }
  }
  db.run(
    'delete from roles where holder = $holder and id = $id and role = $role and revoked_at is not null',
    { holder, id, role },
  )
  if (!isHolding(db, { holder, id, role })) {
    const granted_at = toIso(now)
    db.insert('roles', [{ holder, id, role, granted_at, revoked_at: null, seq }])
  }
  return { done: { holder, id, role } }
}

export function revokeRole(
  db: Sqlite,
  { holder, id, role }: OperationOf<'role.revoke'>,
  { now, seq }: AccountStamp,
): Answer {
  const revoked = db.run(
    `update roles set revoked_at = $now, seq = $seq
     where holder = $holder and id = $id and role = $role and revoked_at is null`,
    { holder, id, role, now: toIso(now), seq },
  )
  if (revoked > 0) return { done: { holder, id, role } }
  return { refused: `${holder} ${id} does not have the role ${role}`, error: 'not_found' }
}

function isLiveKey(db: Sqlite, key_id: string): boolean {
  const query = 'select 1 from api_keys where key_id = $key_id and revoked_at is null'
  return db.one(query, { key_id }) !== undefined
}

function isHolding(db: Sqlite, held: { holder: string; id: string; role: string }) {
  const query = 'select 1 from roles where holder = $holder and id = $id and role = $role'
  return db.one(query, held) !== undefined
}

const role = { table: 'roles', where: 'holder = $holder and id = $id and role = $role' }

export const roleDefinitions: OperationDefinitions<'role.grant' | 'role.revoke'> = {
  'role.grant': {
    perform: grantRole,
    watches: [role],
    invert: operation => ({ ...operation, op: 'role.revoke' }),
  },
  'role.revoke': {
    perform: revokeRole,
    watches: [role],
    invert: operation => ({ ...operation, op: 'role.grant' }),
  },
}
