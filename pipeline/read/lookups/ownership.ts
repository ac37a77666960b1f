import { DAY, toIso } from '../../core/clock.ts'
import { type Domain, listSelfAndParents } from '../../core/domain.ts'
import type { HostedKind } from '../../model/hosted.ts'
import type { StoredHolder, StoredProof } from '../../model/ownership.ts'
import type { Ownership } from '../../model/responses/ownership.ts'
import { PROOFS } from '../../store/private-rows/proof-rows.ts'
import type { Reader } from '../reader.ts'
import { findHosted } from './hosted.ts'
import type { PrivateReader } from './private-rows.ts'
import type { StoredAnswer } from './stored.ts'

/** Finds an organization's best proof of one domain: a permanent one, else the last. */
const BEST_PROOF = `
select method, verified_at from ${PROOFS} where org_id = $org_id and domain = $domain and not is_over
order by method != 'operator', verified_at desc limit 1`

/**
 * Finds the best proof of an organization for a domain: the longest valid one of it and of those above
 * it.
 */
export function findOwnership(
  reader: Pick<Reader, 'record' | 'now'>,
  org_id: string,
  domain: string,
  days: number,
): Ownership {
  const { record } = reader
  const now = toIso(reader.now())
  let best: Ownership | undefined
  for (const proven_by of listSelfAndParents(domain)) {
    const proof = record?.one<StoredProof>(BEST_PROOF, { org_id, domain: proven_by })
    if (proof === undefined) continue
    const { method, verified_at } = proof
    const valid_until = getProofEnd(method, verified_at, days)
    const proven = valid_until === null || valid_until > now
    const found = { domain, proven, method, verified_at, valid_until, proven_by }
    if (best === undefined || isHoldingLonger(found, best)) best = found
  }
  const nothing = { method: null, verified_at: null, valid_until: null, proven_by: null }
  return best ?? { domain, proven: false, ...nothing }
}

/** Finds the holder of a domain, else of the nearest one above it. */
export function findHolder({ record }: PrivateReader, domain: string): StoredHolder | undefined {
  for (const held of record ? listSelfAndParents(domain) : []) {
    const holder = record?.one<StoredHolder>(
      'select org_id, proof, verified_at from verified_domains where domain = $held',
      { held },
    )
    if (holder !== undefined) return holder
  }
  return undefined
}

/** Another organization with a valid proof of a domain, or of one above it: the last one. */
export interface OtherProver {
  org_id: string
  name: string
  verified_at: string
  /** 1 for a proof of the domain itself that others can end. */
  can_end: 0 | 1
}

/** Lists the other organizations that have a valid proof of a domain, or of one above it, by name. */
export function listOtherProvers(
  reader: Pick<Reader, 'record' | 'now'>,
  org_id: string,
  domain: string,
  days: number,
): OtherProver[] {
  const since = toIso(reader.now() - days * DAY)
  const others = reader.record?.all<OtherProver>(
    `select org_id, o.name, max(verified_at) as verified_at,
       max(domain = $domain) > 0 and sum(domain = $domain and method = 'operator') = 0 as can_end
     from ${PROOFS} join organizations o using (org_id) where org_id != $org_id and not is_over
       and domain in (select value from json_each($domains))
       and (method = 'operator' or verified_at > $since) group by org_id order by o.name`,
    { org_id, domain, domains: listSelfAndParents(domain), since },
  )
  return others ?? []
}

/** Tells whether the last version of a domain's entry was saved for an organization that has proven the domain. */
function isSavedByOwner(
  reader: Pick<Reader, 'record' | 'now'>,
  kind: HostedKind,
  domain: string,
  days: number,
): boolean {
  const editor = reader.record?.one<{ org_id: string | null }>(
    `select e.org_id from revisions r join editors e using (editor_id)
     where r.entity = $entity and r.domain = $domain order by r.revision_number desc limit 1`,
    { entity: kind === 'brand.json' ? 'brand' : 'property', domain },
  )
  return (
    editor?.org_id != null && findOwnership(reader, editor.org_id, domain, days).method !== null
  )
}

/** Finds the file that the registry serves for a domain, where the owner of the domain saved it. */
export function findHostedByOwner(
  reader: Reader,
  kind: HostedKind,
  domain: string,
  days: number,
): StoredAnswer | undefined {
  const file = findHosted(reader, kind, domain)
  return file && isSavedByOwner(reader, kind, domain, days) ? file : undefined
}

/** Lists the domains that an organization holds, or has proven while another one holds them, by name. */
export function listOwnedDomains(
  { record }: PrivateReader,
  org_id: string,
): (StoredProof & { domain: string })[] {
  return (
    record?.all(
      `select domain, proof as method, verified_at from verified_domains where org_id = $org_id
       union all
       select p.domain, p.method, p.verified_at
       from ownership_proofs p join verified_domains v using (domain)
       where p.org_id = $org_id and p.withdrawn_at is null and v.org_id != $org_id
       order by domain`,
      { org_id },
    ) ?? []
  )
}

/** Lists domains that an organization held by a mailbox until another one proved them, by name. */
export function listLostDomains({ record }: PrivateReader, org_id: string): string[] {
  const rows = record?.all<{ domain: string }>(
    `select p.domain from ownership_proofs p join verified_domains v using (domain)
     where p.org_id = $org_id and p.method = 'email' and p.withdrawn_at is not null
       and v.org_id != $org_id order by p.domain`,
    { org_id },
  )
  return (rows ?? []).map(({ domain }) => domain)
}

/** Lists the domains that were removed from an organization and that nobody holds since, by name. */
export function listFormerDomains({ record }: PrivateReader, org_id: string): Domain[] {
  const rows = record?.all<{ domain: Domain }>(
    `select domain from ownership_proofs where org_id = $org_id and withdrawn_at is not null
       and domain not in (select domain from verified_domains)
     order by domain`,
    { org_id },
  )
  return (rows ?? []).map(({ domain }) => domain)
}

/** A challenge that can still be verified. */
export interface OpenChallenge {
  domain: string
  nonce_hash: string
  expires_at: string
}

/** Lists the challenges of an organization that can still be verified, the one that expires first at the top. */
export function listOpenChallenges(
  reader: Pick<Reader, 'record' | 'now'>,
  org_id: string,
): OpenChallenge[] {
  const now = toIso(reader.now())
  return (
    reader.record?.all(
      `select domain, nonce_hash, expires_at from ownership_challenges
       where org_id = $org_id and state = 'issued' and expires_at > $now order by expires_at, domain`,
      { org_id, now },
    ) ?? []
  )
}

/** Expired challenges that are listed. */
const EXPIRED_MAX = 20

/** Lists the challenges of an organization that expired within the last day without a new one, the latest first. */
export function listExpiredChallenges(
  reader: Pick<Reader, 'record' | 'now'>,
  org_id: string,
): Pick<OpenChallenge, 'domain' | 'expires_at'>[] {
  const now = reader.now()
  return (
    reader.record?.all(
      `select domain, max(expires_at) as expires_at from ownership_challenges
       where org_id = $org_id and state in ('issued', 'verifying')
       group by domain having max(expires_at) <= $now and max(expires_at) > $since
       order by 2 desc, domain limit ${EXPIRED_MAX}`,
      { org_id, now: toIso(now), since: toIso(now - DAY) },
    ) ?? []
  )
}

/** Returns when a proof expires; null if it never does. */
export function getProofEnd(
  method: StoredProof['method'],
  verified_at: string,
  days: number,
): string | null {
  return method === 'operator' ? null : toIso(Date.parse(verified_at) + days * DAY)
}

function isHoldingLonger(a: Ownership, b: Ownership): boolean {
  if (b.valid_until === null) return false
  return a.valid_until === null || a.valid_until > b.valid_until
}
