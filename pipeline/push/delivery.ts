import { SECOND, toIso } from '../core/clock.ts'
import type { RegistrySigner } from '../core/keys/registry-keys.ts'
import { pushTypes } from '../core/push-types.ts'
import { deriveId, toInstant } from '../core/uuid-v7.ts'
import { computeContentDigest, toContentDigest } from '../signing/content-digest.ts'
import type { SigningProfile } from '../signing/profile.ts'
import { signRequest } from '../signing/sign.ts'
import type { SharedBody } from './pages.ts'

/** A signed POST to a receiver, its body in parts. */
export interface SignedPost {
  body: readonly Uint8Array[]
  headers: Record<string, string>
}

/** Signs posts to receivers. */
export interface Signer {
  key: RegistrySigner
  profile: SigningProfile
  /** Returns the time in milliseconds. */
  now(): number
}

/** Events of a delivery: of one subscription, after the cursor `from` and up to the event `to`. */
export interface DeliveryRange {
  subscription_id: string
  from: string
  to: string
}

/** Derives the id of a delivery; all attempts to deliver the same events share it. */
export function deriveDeliveryId({ subscription_id, from, to }: DeliveryRange): string {
  return deriveId('delivery', subscription_id, from, to)
}

/** Builds the delivery of a page to one subscription: the bytes that subscriptions share come first. */
export function buildDelivery(
  shared: SharedBody,
  range: DeliveryRange,
  url: string,
  signer: Signer,
) {
  const id = deriveDeliveryId(range)
  const own = Buffer.from(
    `,${JSON.stringify({
      subscription_id: range.subscription_id,
      idempotency_key: id,
      task_id: id,
      task_type: pushTypes.events,
      status: 'completed',
      timestamp: toIso(toInstant(range.to)),
    }).slice(1)}`,
  )
  const hash = shared.hash.copy().update(own).digest()
  const digest = toContentDigest(hash, signer.profile.encoding.digest)
  return signPost([shared.bytes, own], digest, url, signer)
}

/** Signs a post of other JSON. */
export function buildPost(content: object, url: string, signer: Signer): SignedPost {
  const body = Buffer.from(JSON.stringify(content))
  return signPost([body], computeContentDigest(body, signer.profile.encoding.digest), url, signer)
}

function signPost(
  body: readonly Uint8Array[],
  contentDigest: string,
  url: string,
  { key, profile, now }: Signer,
): SignedPost {
  const headers = { 'content-type': 'application/json' }
  const signed = signRequest(
    { method: 'POST', url, headers, body: '' },
    { keyid: key.kid, alg: 'ed25519', privateKey: key.privateKey },
    profile,
    { now: Math.floor(now() / SECOND), contentDigest },
  )
  const length = body.reduce((sum, part) => sum + part.byteLength, 0)
  return { body, headers: { ...headers, ...signed, 'content-length': String(length) } }
}
