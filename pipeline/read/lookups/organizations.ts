import { createHash } from 'node:crypto'
import { toIso } from '../../core/clock.ts'
import type { StoredInvitation, StoredMembership } from '../../model/accounts/invitation.ts'
import { type Belongings, listBelongings } from '../../store/private-rows/belongings.ts'
import type { Reader } from '../reader.ts'
import type { PrivateReader } from './private-rows.ts'

const CURRENT_MEMBERS = `
select m.org_id, m.user_id, m.role, m.joined_at, p.email, p.name
from memberships m left join people p using (user_id)
where m.removed_at is null and m.org_id = $orgId`

/** Lists who belongs to an organization, the oldest membership first. */
export function listOrganizationMembers(
  { record }: PrivateReader,
  orgId: string,
): StoredMembership[] {
  return record?.all(`${CURRENT_MEMBERS} order by m.joined_at, m.user_id`, { orgId }) ?? []
}

/** Lists what keeps an organization from being deleted. */
export function listOrganizationBelongings({ record }: PrivateReader, orgId: string): Belongings[] {
  return record ? listBelongings(record, orgId) : []
}

/** Finds somebody who belongs to an organization. */
export function findOrganizationMember(
  { record }: PrivateReader,
  orgId: string,
  userId: string,
): StoredMembership | undefined {
  return record?.one(`${CURRENT_MEMBERS} and m.user_id = $userId`, { orgId, userId })
}

/** Invitations that can still be accepted. */
const PENDING = `
select i.invitation_id, i.org_id, o.name as org_name, i.email, i.role, i.created_at, i.expires_at
from invitations i join organizations o using (org_id)
where i.ended_at is null and i.expires_at > $now`

type TimedReader = Pick<Reader, 'record' | 'now'>

/** Lists the invitations of an organization that can still be accepted, the oldest first. */
export function listInvitations(reader: TimedReader, orgId: string): StoredInvitation[] {
  const { record } = reader
  return (
    record?.all(`${PENDING} and i.org_id = $orgId order by i.created_at, i.invitation_id`, {
      orgId,
      now: toIso(reader.now()),
    }) ?? []
  )
}

/** Lists the invitations of an address that can still be accepted, the oldest first. */
export function listAddressInvitations(reader: TimedReader, email: string): StoredInvitation[] {
  const now = toIso(reader.now())
  const sql = `${PENDING} and i.email = $email order by i.created_at, i.invitation_id`
  return reader.record?.all(sql, { email, now }) ?? []
}

/** Finds whom an invitation of an organization was for, also after it has ended. */
export function findInvited({ record }: PrivateReader, orgId: string, id: string) {
  const sql = 'select email from invitations where invitation_id = $id and org_id = $orgId'
  return record?.one<Pick<StoredInvitation, 'email'>>(sql, { orgId, id })?.email
}

/** Finds the hash of the token of an address's invitation by its id. */
export function findInvitationHash(
  { record }: PrivateReader,
  { id, email }: { id: string; email: string },
): string | undefined {
  const sql = 'select hash from invitations where invitation_id = $id and email = $email'
  return record?.one<{ hash: string }>(sql, { id, email })?.hash
}

/** Hashes the token of an invitation's link, as it is stored. */
export function hashInvitationToken(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}

/** Finds the invitation of a link, as long as it can be accepted. */
export function findInvitation(reader: TimedReader, token: string): StoredInvitation | undefined {
  const { record } = reader
  return record?.one(`${PENDING} and i.hash = $hash`, {
    hash: hashInvitationToken(token),
    now: toIso(reader.now()),
  })
}
