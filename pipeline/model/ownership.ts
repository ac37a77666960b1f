import { z } from 'zod'
import { MINUTE } from '../core/clock.ts'
import { Domain } from '../core/domain.ts'
import type { Outcome } from '../core/outcomes.ts'
import type { DomainProof } from './accounts/member.ts'

/** Methods by which an organization can prove its domain. */
export const ownershipMethods = ['dns_txt', 'http'] as const
export type OwnershipMethod = (typeof ownershipMethods)[number]

/**
 * State of a place that does not show a nonce: nothing is there, another text is (clipped), or it could not be read.
 * The outcome is left out where it would tell of private networks.
 */
export type PlaceWithoutNonce =
  | { state: 'empty' }
  | { state: 'other'; text: string }
  | { state: 'unreadable'; outcome?: Outcome }

/** Method by which a domain was proven: a pointer to its hosted file can carry a claim (hosted.ts). */
export const shownBy = [...ownershipMethods, 'pointer'] as const
export type ShownBy = (typeof shownBy)[number]

/** Time after a proof in which its organization may end those of others. */
export const RECENT_PROOF_MS = 15 * MINUTE

/** SHA-256 of a nonce, in hex. */
export const NonceHash = z.string().regex(/^[0-9a-f]{64}$/)

const id = z.uuid()
const theirs = { org_id: z.string(), domain: Domain }

/**
 * Operations on challenges. Verification is two operations with a fetch between them: only the caller who
 * claimed a challenge can settle it.
 */
export const ownershipOperations = [
  z.object({
    op: z.literal('ownership.issue'),
    challenge_id: id,
    ...theirs,
    nonce_hash: NonceHash,
    lasts_ms: z.int().positive(),
  }),
  z.object({ op: z.literal('ownership.cancel'), ...theirs }),
  z.object({
    op: z.literal('ownership.take'),
    attempt_id: id,
    ...theirs,
    /** By default the last one issued. */
    challenge_id: id.exactOptional(),
  }),
  z.object({
    op: z.literal('ownership.settle'),
    attempt_id: id,
    challenge_id: id,
    ...theirs,
    /** Result of the attempt; `unasked`: no attempt was made, so the challenge can be claimed again. */
    found: z.enum([...ownershipMethods, 'nothing', 'unasked']),
  }),
] as const

/** Proof of an organization for a domain. */
export const StoredProof = z.object({
  method: z.enum([...shownBy, 'operator']),
  verified_at: z.string(),
})
export type StoredProof = z.infer<typeof StoredProof>

/** Holder of a domain. */
export interface StoredHolder {
  org_id: string
  proof: DomainProof
  verified_at: string
}

/** Lists the places in which a domain shows a nonce: the name of the TXT record, and the address of the file. */
export function listOwnershipPlaces(domain: string, protocolName: string) {
  return {
    txt: `_${protocolName}-owner.${domain}`,
    url: `https://${domain}/.well-known/${protocolName}-ownership.txt`,
  }
}
