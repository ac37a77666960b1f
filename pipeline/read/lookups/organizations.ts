import { createHash } from 'node:crypto'
import type { StoredInvitation, StoredMembership } from '../../model/accounts/invitation.ts'
import type { StoredChange } from '../../model/accounts/organization-audit.ts'
import { toInvitationLinkKey, toOrganizationMemberKey } from '../../serving/keys.ts'
import type { Reader } from '../reader.ts'
import { findRecord, listRecords, type RecordReader } from './records.ts'

/** Lists who belongs to an organization, the oldest membership first. */
export function listOrganizationMembers(reader: RecordReader, orgId: string): StoredMembership[] {
  const members = listRecords<StoredMembership>(reader, 'org_member', orgId)
  return members.sort((a, b) => Date.parse(a.joined_at) - Date.parse(b.joined_at))
}

/** Finds somebody who belongs to an organization. */
export function findOrganizationMember(
  reader: RecordReader,
  orgId: string,
  userId: string,
): StoredMembership | undefined {
  return findRecord(reader, 'org_member', toOrganizationMemberKey(orgId, userId))
}

/** Lists the invitations of an organization that can still be accepted, the oldest first. */
export function listInvitations(
  reader: Pick<Reader, 'serving' | 'now'>,
  orgId: string,
): StoredInvitation[] {
  return listRecords<StoredInvitation>(reader, 'invitation', orgId)
    .filter(({ expires_at }) => Date.parse(expires_at) > reader.now())
    .sort((a, b) => Date.parse(a.created_at) - Date.parse(b.created_at))
}

/** Hashes the token of an invitation's link, as it is stored. */
export function hashInvitationToken(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}

/** Finds the invitation of a link, as long as it can be accepted. */
export function findInvitation(
  reader: Pick<Reader, 'serving' | 'now'>,
  token: string,
): StoredInvitation | undefined {
  const key = toInvitationLinkKey(hashInvitationToken(token))
  const found = findRecord<StoredInvitation>(reader, 'invitation', key)
  return found && Date.parse(found.expires_at) > reader.now() ? found : undefined
}

/** A page of an organization's changes; `next` continues after it. */
export interface ChangePage {
  changes: StoredChange[]
  next: string | undefined
}

/** Lists the changes of an organization, the latest first, after the one that `cursor` names. */
export function listOrganizationChanges(
  { serving }: RecordReader,
  orgId: string,
  { limit, cursor }: { limit: number; cursor: string | undefined },
): ChangePage {
  const changes: StoredChange[] = []
  const below = cursor === undefined ? undefined : `${orgId} ${cursor.replace('.', ' ')}`
  const found = serving?.descend('org_audit', orgId, below) ?? []
  let last: string | undefined
  for (const { key, value } of found) {
    if (changes.length === limit) return { changes, next: last }
    changes.push(JSON.parse(value.toString()))
    last = key.slice(orgId.length + 1).replace(' ', '.')
  }
  return { changes, next: undefined }
}
