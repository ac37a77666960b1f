import { loadInvitations } from '../../accounts/invitations.ts'
import { loadOrganizationMembers } from '../../accounts/organization-members.ts'
import { toJsonValue } from '../document-value.ts'
import { toInvitationKey, toInvitationLinkKey, toOrganizationMemberKey } from '../keys.ts'
import type { Entry } from '../lmdb.ts'
import type { RowProjection } from './projection.ts'

/** Projects who belongs to an organization, with the name and address by which the others know them. */
export const orgMemberProjection: RowProjection = {
  store: 'accounts',
  tables: ['memberships', 'people'],
  changed: '(m.seq > $seq or m.user_id in (select user_id from people where seq > $seq))',
  slicedBy: 'user_id',
  from: 'memberships m left join people p using (user_id)',
  project({ accounts }, where, parameters) {
    const rows = loadOrganizationMembers(accounts.db, where, parameters)
    return rows.map(({ is_active, ...member }) => ({
      space: 'org_member',
      key: toOrganizationMemberKey(member.org_id, member.user_id),
      value: is_active ? toJsonValue(member) : undefined,
    }))
  },
}

/** Projects pending invitations, under their organization and under the hash of their link. */
export const invitationProjection: RowProjection = {
  store: 'accounts',
  tables: ['invitations', 'organizations'],
  changed: '(i.seq > $seq or i.org_id in (select org_id from organizations where seq > $seq))',
  slicedBy: 'invitation_id',
  from: 'invitations i join organizations o using (org_id)',
  project({ accounts }, where, parameters) {
    const rows = loadInvitations(accounts.db, where, parameters)
    return rows.flatMap(({ hash, ended, ...invitation }): Entry[] => {
      const value = ended ? undefined : toJsonValue(invitation)
      const { org_id, invitation_id } = invitation
      return [
        { space: 'invitation', key: toInvitationKey(org_id, invitation_id), value },
        { space: 'invitation', key: toInvitationLinkKey(hash), value },
      ]
    })
  },
}
