import { toIso } from '../core/clock.ts'
import type { DomainProof } from '../model/accounts/member.ts'
import type { Answer, OperationOf } from '../model/submission.ts'
import type { Sqlite } from '../store/sqlite.ts'
import { cancelChallenge } from './challenges.ts'
import { touchMember } from './members.ts'
import { getRowBefore, type OperationDefinitions } from './operation-definition.ts'
import { findOrganization, refuseUnknownOrganization } from './organizations.ts'
import { withdrawProof } from './proofs.ts'
import type { AccountStamp } from './stamp.ts'

/** Adds a domain. It belongs to the organization that verified it first, until that one removes it. */
export function addDomain(
  db: Sqlite,
  { org, domain, proof }: OperationOf<'organization.domain.add'>,
  { now, seq }: AccountStamp,
): Answer {
  const owner = findOrganization(db, org)
  if (!owner) return refuseUnknownOrganization(org)
  const { org_id } = owner
  const holder = db.one<{ org_id: string }>(
    'select org_id from verified_domains where domain = $domain',
    { domain },
  )
  if (holder && holder.org_id !== org_id) {
    return { refused: `${domain} belongs to another organization`, error: 'conflict' }
  }
  db.run('delete from verified_domains where domain = $domain', { domain })
  db.insert('verified_domains', [{ org_id, domain, proof, verified_at: toIso(now), seq }])
  touchMember(db, org_id, seq)
  return { done: { org_id, domain, proof } }
}

/**
 * Removes a domain from an organization; its earlier proof no longer counts. The domain is then held by who else has
 * proven it last.
 */
export function removeDomain(
  db: Sqlite,
  { op, org, domain }: OperationOf<'organization.domain.remove' | 'organization.domain.lose'>,
  stamp: AccountStamp,
): Answer {
  const owner = findOrganization(db, org)
  if (!owner) return refuseUnknownOrganization(org)
  const { org_id, name } = owner
  const which = { org_id, domain }
  const held = db.one<{ proof: DomainProof }>(
    `select proof from verified_domains where org_id = $org_id and domain = $domain
     union all
     select method from ownership_proofs
     where org_id = $org_id and domain = $domain and withdrawn_at is null limit 1`,
    which,
  )
  if (!held) return { refused: `${name} has not verified ${domain}`, error: 'not_found' }
  db.run('delete from verified_domains where org_id = $org_id and domain = $domain', which)
  withdrawProof(db, { ...which, proof: held.proof }, stamp)
  // A verification that was to renew the proof would bring the domain back.
  if (op === 'organization.domain.remove') cancelChallenge(db, which, stamp)
  touchMember(db, org_id, stamp.seq)
  passOn(db, domain, stamp.seq)
  return { done: { org_id, domain } }
}

/** Gives a domain that nobody holds to the organization that has proven it last, if any. */
export function passOn(db: Sqlite, domain: string, seq: number): void {
  const proven = db.one<{ org_id: string; proof: DomainProof; verified_at: string }>(
    `select org_id, method as proof, verified_at from ownership_proofs
     where domain = $domain and withdrawn_at is null
       and not exists (select 1 from verified_domains where domain = $domain)
     order by verified_at desc, org_id limit 1`,
    { domain },
  )
  if (proven === undefined) return
  db.insert('verified_domains', [{ ...proven, domain, seq }])
  touchMember(db, proven.org_id, seq)
}

const domains = { table: 'verified_domains', where: 'domain = $domain' }

export const domainDefinitions: OperationDefinitions<
  | 'organization.domain.add'
  | 'organization.domain.remove'
  | 'organization.domain.lose'
  | 'organization.domain.mail'
> = {
  'organization.domain.add': {
    perform: addDomain,
    watches: [domains],
    requires: { membershipIn: ({ org }) => org },
    invert({ org, domain }, known) {
      const row = getRowBefore(known, 'verified_domains')
      return row
        ? { op: 'organization.domain.add', org, domain, proof: row.proof, is_confirmed: true }
        : { op: 'organization.domain.remove', org, domain }
    },
  },
  'organization.domain.remove': {
    perform: removeDomain,
    watches: [domains],
    requires: { membershipIn: ({ org }) => org },
    invert({ org, domain }, known) {
      const row = getRowBefore(known, 'verified_domains')
      return row === undefined
        ? 'the organization did not hold the domain; it can verify it again'
        : { op: 'organization.domain.add', org, domain, proof: row.proof, is_confirmed: true }
    },
  },
  'organization.domain.lose': {
    perform: removeDomain,
    watches: [domains],
    irreversible: 'another organization has verified the domain; this one can verify it, too',
  },
  'organization.domain.mail': {
    perform: (_, { share_id }) => ({ done: { share_id } }),
    irreversible: 'a mail cannot be taken back',
  },
}
