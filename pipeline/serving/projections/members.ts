import { loadStoredOrigins } from '../../accounts/origins.ts'
import type { StoredMember } from '../../model/accounts/member.ts'
import { isOnDomain } from '../../resolve/agent-keeper.ts'
import {
  findLastMemberChange,
  listDeletedMembers,
  loadStoredMembers,
} from '../../store/private-rows/member-rows.ts'
import { toJsonValue } from '../document-value.ts'
import { type Entry, MEMBERS_CHANGED } from '../lmdb.ts'
import type { RowProjection } from './projection.ts'

/** Members as everybody may know them, and when any of them changed, by which readers know whether to read them again. */
export const memberProjection: RowProjection = {
  store: 'accounts',
  tables: ['members'],
  changed: 'm.seq > $seq',
  slicedBy: 'm.org_id',
  from: 'members m',
  project({ accounts }, where, parameters) {
    const stored = loadStoredMembers(accounts.db, where, parameters)
    const deleted = listDeletedMembers(accounts.db, where, parameters)
    if (stored.length + deleted.length === 0) return []
    const changed = Buffer.from(String(findLastMemberChange(accounts.db)))
    return [
      ...stored.map(
        (member): Entry => ({
          space: 'member',
          key: member.org_id,
          value: toJsonValue(toPublicMember(member)),
        }),
      ),
      ...deleted.map((key): Entry => ({ space: 'member', key, value: undefined })),
      { space: 'meta', key: MEMBERS_CHANGED, value: changed },
    ]
  },
}

/**
 * Keeps of a member what everybody may know: its profile if that is public, the agents that it shows to all,
 * and of the domains of a private one those that say whose these agents are.
 */
function toPublicMember(member: StoredMember): StoredMember {
  const agents = member.agents
    .filter(({ visibility }) => visibility === 'public')
    .map(agent => ({ ...agent, health_check_url: null }))
  const isShown = (domain: string) =>
    member.is_public || agents.some(({ url }) => isOnDomain(url, domain))
  const names = member.is_public ? {} : { org_name: '', slug: '', display_name: '' }
  const domains = member.domains.filter(isShown)
  return { ...member, ...names, membership_tier: null, agents, domains }
}

/** The state of domains and their hosted files, without the organizations that claimed them. */
export const originProjection: RowProjection = {
  store: 'accounts',
  tables: ['origins'],
  changed: 'seq > $seq',
  slicedBy: 'domain',
  from: 'origins',
  project({ accounts }, where, parameters) {
    const rows = loadStoredOrigins(accounts.db, where, parameters)
    return rows.map(origin => ({
      space: 'origin',
      key: origin.domain,
      value: toJsonValue(origin),
    }))
  },
}
