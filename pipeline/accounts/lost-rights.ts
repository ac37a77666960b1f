import { hasOrganizationRight, isModerator, type MembershipRole } from '../core/roles.ts'
import type { Asker, Refusal, Submission } from '../model/submission.ts'
import type { Sqlite } from '../store/sqlite.ts'
import type { AuditRow } from './audit.ts'
import type { FindRole } from './operation-definition.ts'
import { getDefinition } from './operations.ts'

/** Refusals for rights that existed at submission and were revoked since. */
const refusals = {
  key: { refused: 'the credential is invalid', error: 'unauthenticated' },
  account: { refused: 'your account has been deleted', error: 'unauthenticated' },
  membership: { refused: 'you no longer belong to that organization', error: 'forbidden' },
  right: { refused: 'your role in that organization does not allow it', error: 'forbidden' },
  moderator: { refused: 'only a moderator may do that', error: 'forbidden' },
} as const satisfies Record<string, Refusal>

/**
 * Returns the refusal of a submission whose author has lost the right to it while it waited, or undefined. The API has
 * checked before; what was revoked in the same commit, but `earlier` in it, counts too.
 */
export function findLostRight(
  db: Sqlite,
  { by, operation }: Submission,
  earlier: readonly AuditRow[] = [],
): Refusal | undefined {
  if (by?.kind !== 'key' && by?.kind !== 'user') return undefined
  if (by.kind === 'key' && isRevoked(db, by.id)) return refusals.key
  if (by.kind === 'user' && isDeleted(db, by.id, earlier)) return refusals.account
  const { membershipIn, right, moderator } = getDefinition(operation).requires ?? {}
  const org_id = by.kind === 'user' ? membershipIn?.(operation) : undefined
  if (org_id) {
    const findRole: FindRole = (...member) => findMembershipRole(db, ...member)
    const role = findRole(org_id, by.id)
    if (!role) return refusals.membership
    const needed = right?.(operation, findRole) ?? 'edit'
    if (!hasOrganizationRight(role, needed)) return refusals.right
  }
  return moderator?.(operation) && !isModeratedBy(db, by) ? refusals.moderator : undefined
}

function isRevoked(db: Sqlite, key_id: string): boolean {
  const query = 'select 1 from api_keys where key_id = $key_id and revoked_at is not null'
  return db.one(query, { key_id }) !== undefined
}

/** Tells whether a person deleted their account. People of another issuer have none here. */
function isDeleted(db: Sqlite, user_id: string, earlier: readonly AuditRow[]): boolean {
  const known = 'select 1 from people where user_id = $user_id'
  if (db.one(known, { user_id }) !== undefined) return false
  const isDeletion = ({ operation, by_id, answer }: AuditRow) =>
    operation === 'person.delete' && by_id === user_id && 'done' in answer
  const deletion = `select 1 from submissions
    where operation = 'person.delete' and by_id = $user_id and answer -> '$.done' is not null`
  return earlier.some(isDeletion) || db.one(deletion, { user_id }) !== undefined
}

function findMembershipRole(
  db: Sqlite,
  org_id: string,
  user_id: string,
): MembershipRole | undefined {
  const row = db.one<{ role: MembershipRole }>(
    `select role from memberships
     where org_id = $org_id and user_id = $user_id and removed_at is null`,
    { org_id, user_id },
  )
  return row?.role
}

/** Tells whether the asker holds a moderating role. */
function isModeratedBy(db: Sqlite, { kind, id }: Asker): boolean {
  const held = db.all<{ role: string }>(
    'select role from roles where holder = $kind and id = $id and revoked_at is null',
    { kind, id },
  )
  return isModerator(held.map(({ role }) => role))
}
