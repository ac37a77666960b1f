import { DAY, toIso } from '../../core/clock.ts'
import { listSelfAndParents } from '../../core/domain.ts'
import type { StoredHolder, StoredProof } from '../../model/ownership.ts'
import type { Ownership } from '../../model/responses/ownership.ts'
import { toHolderKey, toHoldingsKey, toOwnershipKey } from '../../serving/keys.ts'
import type { Reader } from '../reader.ts'
import { findRecord } from './records.ts'

/**
 * Finds the best proof of an organization for a domain: the longest valid one of it and of those above
 * it.
 */
export function findOwnership(
  reader: Reader,
  org_id: string,
  domain: string,
  days: number,
): Ownership {
  const now = toIso(reader.now())
  let best: Ownership | undefined
  for (const proven_by of listSelfAndParents(domain)) {
    const proof = findRecord<StoredProof>(reader, 'ownership', toOwnershipKey(org_id, proven_by))
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
export function findHolder(reader: Reader, domain: string): StoredHolder | undefined {
  for (const held of listSelfAndParents(domain)) {
    const holder = findRecord<StoredHolder>(reader, 'ownership', toHolderKey(held))
    if (holder !== undefined) return holder
  }
  return undefined
}

/** Lists the domains that an organization holds, by name. */
export function listHeldDomains(
  { serving }: Reader,
  org_id: string,
): (StoredHolder & { domain: string })[] {
  const prefix = toHoldingsKey(org_id)
  return Array.from(serving?.range('ownership', prefix) ?? [], ({ key, value }) => ({
    ...(JSON.parse(Buffer.from(value).toString()) as StoredHolder),
    domain: String(key).slice(prefix.length + 1),
  }))
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
