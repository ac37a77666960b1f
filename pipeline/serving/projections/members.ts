import { loadStoredOrigins } from '../../accounts/origins.ts'
import { loadHolders, loadProofRows } from '../../accounts/proofs.ts'
import { findLastMemberChange, loadStoredMembers } from '../../accounts/stored-members.ts'
import { toJsonValue } from '../document-value.ts'
import { toHolderKey, toHoldingKey, toOwnershipKey } from '../keys.ts'
import { type Entry, MEMBERS_CHANGED } from '../lmdb.ts'
import type { RowProjection } from './projection.ts'

/** Members, and when any of them changed, by which readers know whether to read them again. */
export const memberProjection: RowProjection = {
  store: 'accounts',
  tables: ['members'],
  changed: 'm.seq > $seq',
  slicedBy: 'm.org_id',
  from: 'members m',
  project({ accounts }, where, parameters) {
    const stored = loadStoredMembers(accounts.db, where, parameters)
    if (stored.length === 0) return []
    const changed = Buffer.from(String(findLastMemberChange(accounts.db)))
    return [
      ...stored.map(
        (member): Entry => ({ space: 'member', key: member.org_id, value: toJsonValue(member) }),
      ),
      { space: 'meta', key: MEMBERS_CHANGED, value: changed },
    ]
  },
}

const SHOWN_PROOFS =
  '(select domain, seq from ownership_proofs union all select domain, seq from verified_domains)'

/**
 * Projects organizations' proofs and the holders of domains, also of domains that were taken from their
 * holder.
 */
export const ownershipProjection: RowProjection = {
  store: 'accounts',
  tables: ['ownership_proofs', 'verified_domains'],
  changed: 'seq > $seq',
  slicedBy: 'domain',
  from: SHOWN_PROOFS,
  project({ accounts }, where, parameters) {
    const rows = loadProofRows(accounts.db, where, parameters)
    const domains = [...new Set(rows.map(({ domain }) => domain))]
    const holders = loadHolders(accounts.db, domains)
    return [
      ...rows.flatMap(({ org_id, domain, proof }) => {
        const holder = holders.get(domain)
        const held = holder?.org_id === org_id ? holder : undefined
        return [
          toOwnershipEntry(toOwnershipKey(org_id, domain), proof ?? undefined),
          toOwnershipEntry(toHoldingKey(org_id, domain), held),
        ]
      }),
      ...domains.map(domain => toOwnershipEntry(toHolderKey(domain), holders.get(domain))),
    ]
  },
}

/** Converts a proof to an entry of the serving store; without a value the entry is deleted. */
function toOwnershipEntry(key: string, value: object | undefined): Entry {
  return { space: 'ownership', key, value: value && toJsonValue(value) }
}

/** The state of domains and their hosted files. */
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
