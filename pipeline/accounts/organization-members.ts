import { toIso } from '../core/clock.ts'
import { getRightOverRole, type MembershipRole } from '../core/roles.ts'
import type { Answer, OperationOf, Refusal } from '../model/submission.ts'
import type { Sqlite } from '../store/sqlite.ts'
import type { OperationDefinitions } from './operation-definition.ts'
import type { AccountStamp } from './stamp.ts'

type Change = OperationOf<'membership.change' | 'membership.end' | 'membership.leave'>

/** Changes the role of somebody who belongs to the organization. */
export function changeMembership(
  db: Sqlite,
  operation: OperationOf<'membership.change'>,
  { seq }: AccountStamp,
): Answer {
  const { org_id, user_id, role } = operation
  const refusal = refuseChange(db, operation, role === 'owner')
  if (refusal !== undefined) return refusal
  db.run(
    `update memberships set role = $role, seq = $seq
     where user_id = $user_id and org_id = $org_id and removed_at is null`,
    { user_id, org_id, role, seq },
  )
  return { done: { org_id, user_id, role } }
}

/** Ends a membership, by its person or by somebody who manages the organization. */
export function endMembership(
  db: Sqlite,
  operation: OperationOf<'membership.end' | 'membership.leave'>,
  { now, seq }: AccountStamp,
): Answer {
  const { org_id, user_id } = operation
  const refusal = refuseChange(db, operation, false)
  if (refusal !== undefined) return refusal
  db.run(
    `update memberships set removed_at = $now, seq = $seq
     where user_id = $user_id and org_id = $org_id and removed_at is null`,
    { user_id, org_id, now: toIso(now), seq },
  )
  return { done: { org_id, user_id } }
}

/** Refuses the change of somebody who does not belong, and of the last owner unless they stay one. */
function refuseChange(
  db: Sqlite,
  { org_id, user_id }: Change,
  staysOwner: boolean,
): Refusal | undefined {
  const members = db.all<{ user_id: string; role: MembershipRole }>(
    'select user_id, role from memberships where org_id = $org_id and removed_at is null',
    { org_id },
  )
  const known = members.find(member => member.user_id === user_id)
  if (known === undefined) {
    return { refused: 'nobody of this id belongs to the organization', error: 'not_found' }
  }
  const owners = members.filter(({ role }) => role === 'owner')
  if (known.role !== 'owner' || staysOwner || owners.length > 1) return undefined
  return {
    refused: 'an organization keeps one owner: name another one first, or delete it',
    error: 'conflict',
  }
}

const membership = { table: 'memberships', where: 'user_id = $user_id and org_id = $org_id' }

export const organizationMemberDefinitions: OperationDefinitions<Change['op']> = {
  'membership.change': {
    perform: changeMembership,
    watches: [membership],
    requires: { membershipIn: ({ org_id }) => org_id, right: () => 'managers' },
    invert({ org_id, user_id }, { changes }) {
      const before = changes.find(({ table }) => table === 'memberships')?.before ?? []
      const stood = before.find(({ removed_at }) => removed_at === null)
      return stood === undefined
        ? 'nothing was changed'
        : { op: 'membership.change', org_id, user_id, role: stood.role }
    },
  },
  'membership.end': {
    perform: endMembership,
    watches: [membership],
    requires: {
      membershipIn: ({ org_id }) => org_id,
      right: ({ org_id, user_id }, findRole) =>
        getRightOverRole(findRole(org_id, user_id) ?? 'member'),
    },
    irreversible: 'a person comes back by another invitation',
  },
  'membership.leave': {
    perform: endMembership,
    watches: [membership],
    requires: { membershipIn: ({ org_id }) => org_id, right: () => 'read' },
    irreversible: 'a person comes back by another invitation',
  },
}
