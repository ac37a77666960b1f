import { toIso } from '../core/clock.ts'
import { getRightOverRole } from '../core/roles.ts'
import type { StoredInvitation } from '../model/accounts/invitation.ts'
import type { Answer, OperationOf } from '../model/submission.ts'
import type { Sqlite } from '../store/sqlite.ts'
import { addMembership } from './memberships.ts'
import type { OperationDefinitions } from './operation-definition.ts'
import { findOrganization, refuseUnknownOrganization } from './organizations.ts'
import type { AccountStamp } from './stamp.ts'

/** One refusal for every link that opens nothing, so that it tells nothing about invitations of others. */
const CLOSED = {
  refused: 'this invitation is not for you, or was used, revoked or is too old',
  error: 'not_found',
} as const

/** Creates an invitation of an address, in place of an earlier one that is pending. */
export function createInvitation(
  db: Sqlite,
  operation: OperationOf<'invitation.create'>,
  { now, seq }: AccountStamp,
): Answer {
  const { op: _, most, ...invitation } = operation
  const { org_id, email, invitation_id } = invitation
  if (!findOrganization(db, org_id)) return refuseUnknownOrganization(org_id)
  const belongs = db.one(
    `select 1 from memberships m join people p using (user_id)
     where m.org_id = $org_id and m.removed_at is null and p.email = $email and p.email_verified`,
    { org_id, email },
  )
  if (belongs)
    return { refused: 'this person already belongs to the organization', error: 'conflict' }
  const at = toIso(now)
  db.run(
    `update invitations set ended_at = $at, seq = $seq where org_id = $org_id and ended_at is null
       and (email = $email or expires_at <= $at)`,
    { org_id, email, at, seq },
  )
  const pending = db.oneOrThrow<{ count: number }>(
    'select count(*) as count from invitations where org_id = $org_id and ended_at is null',
    { org_id },
  )
  if (pending.count >= most) {
    return { refused: `at most ${most} invitations can be pending`, error: 'conflict' }
  }
  db.insert('invitations', [{ ...invitation, created_at: at, ended_at: null, user_id: null, seq }])
  return { done: { invitation_id, org_id, created_at: at } }
}

export function revokeInvitation(
  db: Sqlite,
  { invitation_id, org_id }: OperationOf<'invitation.revoke'>,
  { now, seq }: AccountStamp,
): Answer {
  const revoked = db.run(
    `update invitations set ended_at = $at, seq = $seq
     where invitation_id = $invitation_id and org_id = $org_id and ended_at is null`,
    { invitation_id, org_id, at: toIso(now), seq },
  )
  if (revoked > 0) return { done: { invitation_id, org_id } }
  return { refused: 'your organization has no such pending invitation', error: 'not_found' }
}

/** Uses an invitation up. Whoever belongs to the organization already keeps their role. */
export function acceptInvitation(
  db: Sqlite,
  { hash, user_id, email }: OperationOf<'invitation.accept'>,
  stamp: AccountStamp,
): Answer {
  const at = toIso(stamp.now)
  const invitation = db.one<Pick<StoredInvitation, 'invitation_id' | 'org_id' | 'role'>>(
    `select invitation_id, org_id, role from invitations where hash = $hash and email = $email
       and ended_at is null and expires_at > $at`,
    { hash, email, at },
  )
  if (invitation === undefined) return CLOSED
  const { invitation_id, org_id } = invitation
  const known = db.one<Pick<StoredInvitation, 'role'>>(
    `select role from memberships
     where org_id = $org_id and user_id = $user_id and removed_at is null`,
    { org_id, user_id },
  )
  const role = known?.role ?? invitation.role
  if (known === undefined) addMembership(db, { org_id, user_id, role }, stamp)
  db.run(
    `update invitations set ended_at = $at, user_id = $user_id, seq = $seq
     where invitation_id = $invitation_id`,
    { invitation_id, user_id, at, seq: stamp.seq },
  )
  return { done: { invitation_id, org_id, user_id, role } }
}

const invitation = { table: 'invitations', where: 'invitation_id = $invitation_id' }

export const invitationDefinitions: OperationDefinitions<
  'invitation.create' | 'invitation.revoke' | 'invitation.accept'
> = {
  'invitation.create': {
    perform: createInvitation,
    watches: [invitation],
    requires: {
      membershipIn: ({ org_id }) => org_id,
      right: ({ role }) => getRightOverRole(role),
    },
    invert: ({ invitation_id, org_id }) => ({ op: 'invitation.revoke', invitation_id, org_id }),
  },
  'invitation.revoke': {
    perform: revokeInvitation,
    watches: [invitation],
    requires: { membershipIn: ({ org_id }) => org_id, right: () => 'members' },
    irreversible: 'its link opens nothing anymore: invite the person again',
  },
  'invitation.accept': {
    perform: acceptInvitation,
    irreversible: 'an invitation is used once: remove the membership',
  },
}
