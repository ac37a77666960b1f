import { toIso } from '../core/clock.ts'
import type { Membership } from '../model/identity.ts'
import type { Answer, OperationOf } from '../model/submission.ts'
import type { Sqlite } from '../store/sqlite.ts'
import {
  type Inverse,
  type KnownChange,
  type OperationDefinitions,
  ORGANIZATION_NAMED,
} from './operation-definition.ts'
import { findOrganization, refuseUnknownOrganization } from './organizations.ts'
import type { AccountStamp } from './stamp.ts'

/** Adds a person to an organization, or changes the person's role in it. */
export function setMembership(
  db: Sqlite,
  { org, user_id, role }: OperationOf<'membership.set'>,
  stamp: AccountStamp,
): Answer {
  const owner = findOrganization(db, org)
  if (!owner) return refuseUnknownOrganization(org)
  const { org_id } = owner
  addMembership(db, { org_id, user_id, role }, stamp)
  return { done: { org_id, user_id, role } }
}

export function addMembership(
  db: Sqlite,
  { org_id, user_id, role }: Pick<Membership, 'org_id' | 'role'> & { user_id: string },
  { now, seq }: AccountStamp,
): void {
  const changed = db.run(
    `update memberships set role = $role, seq = $seq
     where user_id = $user_id and org_id = $org_id and removed_at is null`,
    { user_id, org_id, role, seq },
  )
  if (changed > 0) return
  db.insert('memberships', [
    { user_id, org_id, role, joined_at: toIso(now), removed_at: null, seq },
  ])
}

export function removeMembership(
  db: Sqlite,
  { org, user_id }: OperationOf<'membership.remove'>,
  { now, seq }: AccountStamp,
): Answer {
  const owner = findOrganization(db, org)
  if (!owner) return refuseUnknownOrganization(org)
  const { org_id, name } = owner
  const removed = db.run(
    `update memberships set removed_at = $now, seq = $seq
     where user_id = $user_id and org_id = $org_id and removed_at is null`,
    { user_id, org_id, now: toIso(now), seq },
  )
  if (removed > 0) return { done: { org_id, user_id } }
  return { refused: `${user_id} does not belong to ${name}`, error: 'not_found' }
}

const membership = {
  table: 'memberships',
  where: `user_id = $user_id and org_id in ${ORGANIZATION_NAMED}`,
}

/** Inverts a change of a membership; a membership that had ended is not restored. */
function invertMembershipChange(
  { org, user_id }: OperationOf<'membership.set' | 'membership.remove'>,
  { changes }: KnownChange,
): Inverse {
  const rows = changes.find(({ table }) => table === 'memberships')?.before ?? []
  const stood = rows.find(({ removed_at }) => removed_at === null)
  return stood
    ? { op: 'membership.set', org, user_id, role: stood.role }
    : { op: 'membership.remove', org, user_id }
}

export const membershipDefinitions: OperationDefinitions<'membership.set' | 'membership.remove'> = {
  'membership.set': {
    perform: setMembership,
    watches: [membership],
    requires: { membershipIn: ({ org }) => org },
    invert: invertMembershipChange,
  },
  'membership.remove': {
    perform: removeMembership,
    watches: [membership],
    requires: { membershipIn: ({ org }) => org },
    invert: invertMembershipChange,
  },
}
