import { MINUTE, toIso } from '../core/clock.ts'
import { countThings } from '../core/counts.ts'
import type { DomainProof } from '../model/accounts/member.ts'
import { RECENT_PROOF_MS } from '../model/ownership.ts'
import type { Answer, OperationOf } from '../model/submission.ts'
import type { Sqlite } from '../store/sqlite.ts'
import { cancelChallenge } from './challenges.ts'
import { passOn } from './domains.ts'
import { touchMember } from './members.ts'
import type { OperationDefinitions } from './operation-definition.ts'
import { findOrganization, refuseUnknownOrganization } from './organizations.ts'
import { recordFor, withdrawProof } from './proofs.ts'
import type { AccountStamp } from './stamp.ts'

/**
 * Ends the proofs of a domain that other organizations have, and their open challenges. Who ends them must have shown
 * within minutes that it controls the domain; the others can show it again. What an operator entered stays.
 */
function excludeOthers(
  db: Sqlite,
  { org, domain }: OperationOf<'organization.domain.exclude'>,
  stamp: AccountStamp,
): Answer {
  const owner = findOrganization(db, org)
  if (!owner) return refuseUnknownOrganization(org)
  const { org_id, name } = owner
  if (!hasRecentProof(db, { org_id, domain }, stamp)) {
    const minutes = countThings(RECENT_PROOF_MS / MINUTE, 'minute')
    return {
      refused: `verify ${domain} again, and end what others have verified within ${minutes}`,
      error: 'conflict',
    }
  }
  const others = listOthers(db, { org_id, domain })
  if (others.length === 0)
    return { refused: `no other organization has verified ${domain} itself`, error: 'not_found' }
  for (const { org_id: other, proof } of others) {
    const which = { org_id: other, domain }
    db.run('delete from verified_domains where org_id = $org_id and domain = $domain', which)
    withdrawProof(db, { ...which, proof }, stamp)
    cancelChallenge(db, which, stamp)
    touchMember(db, other, stamp.seq)
    recordFor(db, { op: 'organization.domain.end', org: other, domain, name }, stamp)
  }
  passOn(db, domain, stamp.seq)
  return { done: { org_id, domain, ended: others.length } }
}

interface Which {
  org_id: string
  domain: string
}

function hasRecentProof(db: Sqlite, which: Which, { now }: AccountStamp): boolean {
  const recent = db.one(
    `select 1 from ownership_proofs where org_id = $org_id and domain = $domain
       and withdrawn_at is null and method in ('dns_txt', 'http') and verified_at > $since`,
    { ...which, since: toIso(now - RECENT_PROOF_MS) },
  )
  return recent !== undefined
}

/** Lists the other organizations that have proven a domain, or hold it, but by an operator's word. */
function listOthers(db: Sqlite, which: Which) {
  return db.all<{ org_id: string; proof: DomainProof }>(
    `select org_id, min(proof) as proof from (
       select org_id, domain, method as proof from ownership_proofs where withdrawn_at is null
       union all select org_id, domain, proof from verified_domains)
     where domain = $domain and org_id != $org_id
     group by org_id having sum(proof = 'operator') = 0 order by org_id`,
    { ...which },
  )
}

export const sharedDomainDefinitions: OperationDefinitions<
  'organization.domain.share' | 'organization.domain.exclude' | 'organization.domain.end'
> = {
  'organization.domain.share': {
    perform: (_, { org, domain }) => ({ done: { org_id: org, domain } }),
    irreversible: 'it tells what another organization did',
  },
  'organization.domain.exclude': {
    perform: excludeOthers,
    requires: { membershipIn: ({ org }) => org },
    irreversible: 'the other organizations can verify the domain again',
  },
  'organization.domain.end': {
    perform: (_, { org, domain }) => ({ done: { org_id: org, domain } }),
    irreversible: 'another organization has verified the domain; this one can verify it again',
  },
}
