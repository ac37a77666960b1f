import { DAY, type Instant, toIso } from '../core/clock.ts'
import { type Domain, listSelfAndParents } from '../core/domain.ts'
import { limits } from '../core/limits.ts'
import { deriveId } from '../core/uuid-v7.ts'
import type { DomainProof } from '../model/accounts/member.ts'
import type { ShownBy } from '../model/ownership.ts'
import type { OperationOf } from '../model/submission.ts'
import { PROOFS } from '../store/private-rows/proof-rows.ts'
import type { Sqlite } from '../store/sqlite.ts'
import { toAuditColumns } from './audit.ts'
import { touchMember } from './members.ts'
import type { AccountStamp } from './stamp.ts'

/**
 * Tells whether an organization has proven a domain, or one above it, at most `days` ago; an entry of
 * the operator never expires.
 */
export function hasProof(
  db: Sqlite,
  org_id: string,
  domain: string,
  now: Instant,
  days: number = limits.proofDays,
): boolean {
  const proof = db.one(
    `select 1 from ${PROOFS} where org_id = $org_id and not is_over
       and domain in (select value from json_each($domains))
       and (method = 'operator' or verified_at > $since) limit 1`,
    { org_id, domains: listSelfAndParents(domain), since: toIso(now - days * DAY) },
  )
  return proof !== undefined
}

interface NewProof {
  org_id: string
  domain: string
  method: ShownBy
}

/**
 * Records a proof. A domain becomes the organization's unless another one holds it by a proof of its own: a mailbox at
 * a domain is none.
 */
export function recordProof(
  db: Sqlite,
  { org_id, domain, method }: NewProof,
  { now, seq }: AccountStamp,
): void {
  const verified_at = toIso(now)
  const isNew = !hasProof(db, org_id, domain, now)
  deleteProofs(db, org_id, domain)
  db.insert('ownership_proofs', [{ org_id, domain, method, verified_at, seq }])
  if (isNew) recordShares(db, { org_id, domain }, { now, seq })
  const holder = db.one<{ org_id: string; proof: DomainProof }>(
    'select org_id, proof from verified_domains where domain = $domain',
    { domain },
  )
  const isOther = holder !== undefined && holder.org_id !== org_id
  if (holder?.proof === 'operator' || (isOther && holder.proof !== 'email')) return
  if (isOther) {
    touchMember(db, holder.org_id, seq)
    withdrawProof(db, { org_id: holder.org_id, domain, proof: holder.proof }, { now, seq })
    recordLoss(db, { org_id: holder.org_id, domain }, { now, seq })
  }
  db.run('delete from verified_domains where domain = $domain', { domain })
  db.insert('verified_domains', [{ org_id, domain, proof: method, verified_at, seq }])
  touchMember(db, org_id, seq)
}

/** Withdraws the proof of a domain that is removed from an organization, or that another one has proven. */
export function withdrawProof(
  db: Sqlite,
  { org_id, domain, proof }: { org_id: string; domain: string; proof: DomainProof },
  { now, seq }: AccountStamp,
): void {
  deleteProofs(db, org_id, domain)
  const at = toIso(now)
  const row = { org_id, domain, method: proof, verified_at: at, withdrawn_at: at, seq }
  db.insert('ownership_proofs', [row])
}

/** Records in the audit of an organization that it has lost a domain: the submission that caused it is another one's. */
function recordLoss(
  db: Sqlite,
  { org_id: org, domain }: Omit<NewProof, 'method'>,
  stamp: AccountStamp,
): void {
  recordFor(db, { op: 'organization.domain.lose', org, domain: domain as Domain }, stamp)
}

/** Records in the audit of all other organizations with a proof of a domain that this one has proven it, too. */
function recordShares(
  db: Sqlite,
  { org_id, domain }: Omit<NewProof, 'method'>,
  stamp: AccountStamp,
): void {
  const others = db.all<{ org_id: string; name: string }>(
    `select distinct p.org_id, o.name from ${PROOFS} p, organizations o
     where p.org_id != $org_id and o.org_id = $org_id and not p.is_over
       and p.domain in (select value from json_each($domains))
       and (p.method = 'operator' or p.verified_at > $since) order by p.org_id`,
    {
      org_id,
      domains: listSelfAndParents(domain),
      since: toIso(stamp.now - limits.proofDays * DAY),
    },
  )
  for (const { org_id: org, name } of others) {
    recordFor(db, { op: 'organization.domain.share', org, domain: domain as Domain, name }, stamp)
  }
}

type Consequence = OperationOf<
  'organization.domain.lose' | 'organization.domain.share' | 'organization.domain.end'
>

/** Records in the audit of an organization what the submission of another one meant for it. */
export function recordFor(db: Sqlite, operation: Consequence, { now, seq }: AccountStamp): void {
  const { op, org: org_id, domain } = operation
  const columns = toAuditColumns({
    submission_id: deriveId(op, org_id, domain, String(seq), JSON.stringify(operation)),
    operation,
    by: { kind: 'registry', id: 'registry' },
  })
  const answer = { done: { org_id, domain } }
  const submitted_at = toIso(now)
  db.insert('submissions', [{ ...columns, answer, changes: null, submitted_at, seq }])
}

function deleteProofs(db: Sqlite, org_id: string, domain: string): void {
  const which = { org_id, domain }
  db.run('delete from ownership_proofs where org_id = $org_id and domain = $domain', which)
}
