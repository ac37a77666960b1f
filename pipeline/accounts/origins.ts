import { toIso } from '../core/clock.ts'
import { type OriginReason, openOriginReasons, type StoredOrigin } from '../model/hosted.ts'
import type { Answer, OperationOf } from '../model/submission.ts'
import type { Sqlite, SqliteParameters } from '../store/sqlite.ts'
import type { OperationDefinitions } from './operation-definition.ts'
import { recordProof } from './proofs.ts'
import type { AccountStamp } from './stamp.ts'

interface OriginRow extends StoredOrigin {
  /** Organization of the claim in the pointer. */
  org_id: string | null
  /** Hash of the claim that bound it to its organization. */
  claim: string | null
}

/**
 * Claims a domain's hosted file for an organization. Replaces the organization's own earlier claim;
 * a domain that another organization holds is refused.
 */
export function claimOrigin(
  db: Sqlite,
  { domain, org_id, claim_hash: claim }: OperationOf<'origin.claim'>,
  stamp: AccountStamp,
): Answer {
  const known = findOrigin(db, domain)
  if (isHeldByOther(known, org_id)) {
    return {
      refused: `${domain} points to its hosted file for another organization`,
      error: 'conflict',
      fields: { locked_to_org_id: known?.org_id },
    }
  }
  if (known === undefined) keep(db, buildUnseen(domain), stamp)
  dropClaim(db, domain, org_id)
  const row = { domain, org_id, claim, claimed_at: toIso(stamp.now), seq: stamp.seq }
  db.insert('origin_claims', [row])
  return { done: { domain } }
}

/**
 * Applies what a domain publishes in place of its hosted file. A pointer with an open claim gives the
 * domain to the claiming organization, unless another one holds it; anything but a pointer ends that.
 * `changed` tells that the trust in the domain's file may differ from before.
 */
export function verifyOrigin(
  db: Sqlite,
  { domain, reason, claim_hash: claim, checked_at }: OperationOf<'origin.verify'>,
  stamp: AccountStamp,
): Answer {
  const known = findOrigin(db, domain) ?? buildUnseen(domain)
  if (known.checked_at !== null && Date.parse(known.checked_at) > checked_at) {
    return { done: { domain, changed: false } }
  }
  const checked = { ...known, checked_at: toIso(checked_at) }
  const after = { ...checked, verified_at: findVerifiedAt(checked, reason) }
  const changed = (after.verified_at === null) !== (known.verified_at === null)
  const claimant = after.verified_at !== null && claim ? findClaimant(db, checked, claim) : null
  if (claimant === null || claim === undefined) {
    keep(db, after, stamp)
    return { done: { domain, changed } }
  }
  keep(db, { ...after, org_id: claimant, claim }, stamp)
  dropClaim(db, domain, claimant)
  // A party that can put a claim on the domain controls it, like one that can serve a nonce there.
  recordProof(db, { org_id: claimant, domain, method: 'pointer' }, stamp)
  const isNew = known.claim !== claim
  return { done: { domain, changed: changed || isNew, bound_org_id: claimant } }
}

function findVerifiedAt({ verified_at, checked_at }: OriginRow, reason: OriginReason) {
  if (openOriginReasons.has(reason)) return verified_at
  return reason === 'authoritative_location_pointer' ? (verified_at ?? checked_at) : null
}

/** Finds the organization whose claim a pointer carries: an open claim, or the one that bound the domain to it. */
function findClaimant(db: Sqlite, known: OriginRow, claim: string): string | null {
  if (known.claim === claim) return known.org_id
  const open = db.one<{ org_id: string }>(
    'select org_id from origin_claims where domain = $domain and claim = $claim',
    { domain: known.domain, claim },
  )
  return open === undefined || isHeldByOther(known, open.org_id) ? null : open.org_id
}

/** Loads the organizations that hold these domains by a valid pointer. */
export function loadOriginOwners(
  db: Sqlite,
  domains: readonly string[],
): ReadonlyMap<string, string> {
  const rows = db.all<{ domain: string; org_id: string }>(
    `select domain, org_id from origins where verified_at is not null and org_id is not null
       and domain in (select value from json_each($domains))`,
    { domains },
  )
  return new Map(rows.map(({ domain, org_id }) => [domain, org_id]))
}

export function loadStoredOrigins(
  db: Sqlite,
  where: string,
  parameters: SqliteParameters,
): StoredOrigin[] {
  return db.all(
    `select domain, verified_at, checked_at from origins where ${where} order by domain`,
    parameters,
  )
}

function isHeldByOther(known: OriginRow | undefined, org_id: string): boolean {
  return known?.verified_at != null && known.org_id !== null && known.org_id !== org_id
}

function buildUnseen(domain: string): OriginRow {
  return { domain, org_id: null, claim: null, verified_at: null, checked_at: null }
}

function findOrigin(db: Sqlite, domain: string): OriginRow | undefined {
  return db.one(
    'select domain, org_id, claim, verified_at, checked_at from origins where domain = $domain',
    { domain },
  )
}

function keep(db: Sqlite, origin: OriginRow, { seq }: AccountStamp): void {
  db.run('delete from origins where domain = $domain', { domain: origin.domain })
  db.insert('origins', [{ ...origin, seq }])
}

function dropClaim(db: Sqlite, domain: string, org_id: string): unknown {
  return db.run('delete from origin_claims where domain = $domain and org_id = $org_id', {
    domain,
    org_id,
  })
}

export const originDefinitions: OperationDefinitions<'origin.claim' | 'origin.verify'> = {
  'origin.claim': {
    perform: claimOrigin,
    requires: { membershipIn: ({ org_id }) => org_id },
    irreversible: 'it has no effect until the domain points here with it',
  },
  'origin.verify': {
    perform: verifyOrigin,
    irreversible: 'it records what the domain published: verify the domain again',
  },
}
