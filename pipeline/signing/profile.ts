import type { ProfileVersion } from '../core/signing-profiles.ts'
import type { BinaryEncoding } from './binary-encoding.ts'

/** Why a signature was refused. `toErrorCode` gives the code that is answered. */
export type Refusal =
  | 'required'
  | 'header_malformed'
  | 'params_incomplete'
  | 'tag_invalid'
  | 'alg_not_allowed'
  | 'window_invalid'
  | 'components_incomplete'
  | 'components_unexpected'
  | 'target_uri_malformed'
  | 'key_unknown'
  | 'key_purpose_invalid'
  | 'key_revoked'
  | 'revocation_stale'
  | 'rate_abuse'
  | 'invalid'
  | 'digest_mismatch'
  | 'replayed'

/** A profile of RFC 9421: the parts of a request that are signed, and the keys that may sign. */
export interface SigningProfile {
  kind: 'webhook' | 'request'
  /** The `tag` parameter that keeps a signature for one purpose from being used for another. */
  tag: string
  /** The field of a JWK that names its purpose, and the purposes that may sign here. */
  keyUse: { field: string; values: readonly string[] }
  /** Components that a signature must cover at least. */
  components: readonly string[]
  /** Says whether the signature must, may or must not cover the digest of the body. */
  digest: 'required' | 'either' | 'forbidden'
  /** Encodings in which a signer writes `Signature` and `Content-Digest`. */
  encoding: { signature: BinaryEncoding; digest: BinaryEncoding }
  /** True to refuse a message whose `Signature` and `Content-Digest` are encoded differently. */
  isEncodingShared: boolean
}

/**
 * Encodings by version: 3.1 has `Signature` in base64url beside `Content-Digest` in Base64, 3.2 has
 * both in one encoding.
 */
const encodings: Record<ProfileVersion, Pick<SigningProfile, 'encoding' | 'isEncodingShared'>> = {
  '3.1': { encoding: { signature: 'base64url', digest: 'base64' }, isEncodingShared: false },
  '3.2': { encoding: { signature: 'base64url', digest: 'base64url' }, isEncodingShared: true },
}

const ADDRESS = ['@method', '@target-uri', '@authority'] as const

/** Longest time between `created` and `expires`, in seconds. */
export const WINDOW_SECONDS_MAX = 300

/** Largest difference between the clocks of signer and verifier, in seconds. */
export const SKEW_SECONDS_MAX = 60

/** Builds the profile of webhooks, which an agent posts to a buyer's address. */
export function buildWebhookProfile(
  protocolName: string,
  version: ProfileVersion = '3.1',
): SigningProfile {
  return {
    kind: 'webhook',
    tag: `${protocolName}/webhook-signing/v1`,
    keyUse: { field: `${protocolName}_use`, values: ['request-signing', 'webhook-signing'] },
    components: [...ADDRESS, 'content-type', 'content-digest'],
    digest: 'required',
    ...encodings[version],
  }
}

/**
 * Builds the profile of requests, with which a buyer calls an agent's tasks. From 3.2 on a signature always
 * covers the body.
 */
export function buildRequestProfile(
  protocolName: string,
  digest: SigningProfile['digest'] = 'either',
  version: ProfileVersion = '3.1',
): SigningProfile {
  if (version !== '3.1' && digest === 'forbidden') {
    throw new TypeError(`a signature of profile ${version} covers the body`)
  }
  return {
    kind: 'request',
    tag: `${protocolName}/request-signing/v1`,
    keyUse: { field: `${protocolName}_use`, values: ['request-signing'] },
    components: [...ADDRESS, 'content-type'],
    digest: version === '3.1' ? digest : 'required',
    ...encodings[version],
  }
}

/** Converts a refusal to the code that is sent, such as `webhook_signature_tag_invalid`. */
export function toErrorCode({ kind }: SigningProfile, refusal: Refusal): string {
  if (refusal === 'target_uri_malformed') return `${kind}_target_uri_malformed`
  return `${kind}_signature_${refusal}`
}
