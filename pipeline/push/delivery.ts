import { SECOND } from '../core/clock.ts'
import type { RegistrySigner } from '../core/keys/registry-keys.ts'
import { deriveId } from '../core/uuid-v7.ts'
import { computeContentDigest, toContentDigest } from '../signing/content-digest.ts'
import type { SigningProfile } from '../signing/profile.ts'
import { signRequest } from '../signing/sign.ts'
import type { SharedBody } from './pages.ts'
import { buildStandardHeaders } from './standard-webhook.ts'

/** A signed POST to a receiver, its body in parts. */
export interface SignedPost {
  body: readonly Uint8Array[]
  headers: Record<string, string>
}

/** Signs posts to receivers. */
export interface Signer {
  key: RegistrySigner
  profile: SigningProfile
  /** Derives the secrets that are shared with the receiver of a subscription. */
  deriveSecrets(subscriptionId: string): Buffer[]
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
      task_type: shared.type,
      status: 'completed',
      timestamp: shared.at,
    }).slice(1)}`,
  )
  const hash = shared.hash.copy().update(own).digest()
  const digest = toContentDigest(hash, signer.profile.encoding.digest)
  const { subscription_id } = range
  return signPost({ id, subscription_id, body: [shared.bytes, own] }, digest, url, signer)
}

/** Signs a post of other JSON. */
export function buildPost(
  content: { idempotency_key: string; subscription_id: string },
  url: string,
  signer: Signer,
): SignedPost {
  const { idempotency_key: id, subscription_id } = content
  const body = Buffer.from(JSON.stringify(content))
  const digest = computeContentDigest(body, signer.profile.encoding.digest)
  return signPost({ id, subscription_id, body: [body] }, digest, url, signer)
}

/** Signs a post twice: by the protocol's profile of RFC 9421, and by Standard Webhooks. */
function signPost(
  {
    id,
    subscription_id,
    body,
  }: { id: string; subscription_id: string; body: readonly Uint8Array[] },
  contentDigest: string,
  url: string,
  { key, profile, deriveSecrets, now }: Signer,
): SignedPost {
  const at = Math.floor(now() / SECOND)
  const headers = { 'content-type': 'application/json' }
  const signed = signRequest(
    { method: 'POST', url, headers, body: '' },
    { keyid: key.kid, alg: 'ed25519', privateKey: key.privateKey },
    profile,
    { now: at, contentDigest },
  )
  const length = body.reduce((sum, part) => sum + part.byteLength, 0)
  const standard = buildStandardHeaders({ id, at, body }, deriveSecrets(subscription_id))
  return { body, headers: { ...headers, ...signed, ...standard, 'content-length': String(length) } }
}
