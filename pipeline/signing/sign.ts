import { type KeyObject, randomBytes } from 'node:crypto'
import { computeContentDigest } from './content-digest.ts'
import { type Algorithm, signText } from './keys.ts'
import { isNonce } from './nonce.ts'
import { type SigningProfile, WINDOW_SECONDS_MAX } from './profile.ts'
import { buildSignatureBase, type SignedRequest } from './signature-base.ts'
import { normalizeTargetUri } from './target-uri.ts'

export interface SigningKey {
  /** The `kid` under which the signer's JWKS lists the public key. */
  keyid: string
  alg: Algorithm
  privateKey: KeyObject
}

export interface SigningOptions {
  /** The time of the signature, in seconds. */
  now: number
  /** Base64url of at least 16 bytes, new for each attempt; 16 random bytes where none is given. */
  nonce?: string
  /** `Content-Digest` of the body, where the caller has computed it; the body is not read then. */
  contentDigest?: string
}

/**
 * Signs a request and returns the headers: `Content-Digest` where the profile covers the body,
 * `Signature-Input` and `Signature`. The body must be sent as the very bytes that are given here. Throws a
 * TypeError where the URL or the nonce cannot be signed or a covered header is absent.
 */
export function signRequest(
  request: SignedRequest,
  { keyid, alg, privateKey }: SigningKey,
  profile: SigningProfile,
  { now, nonce = randomBytes(16).toString('base64url'), contentDigest }: SigningOptions,
): Record<string, string> {
  const target = normalizeTargetUri(request.url)
  if (!target) throw new TypeError(`${request.url} cannot be signed`)
  if (!isNonce(nonce)) throw new TypeError('a nonce is base64url of at least 16 bytes')
  const isBodyCovered = profile.digest !== 'forbidden'
  const digest = isBodyCovered
    ? {
        'Content-Digest':
          contentDigest ?? computeContentDigest(request.body, profile.encoding.digest),
      }
    : {}
  const components = isBodyCovered
    ? [...new Set([...profile.components, 'content-digest'])]
    : profile.components
  const created = Math.floor(now)
  const params = [
    `(${components.map(name => `"${name}"`).join(' ')})`,
    `created=${created}`,
    `expires=${created + WINDOW_SECONDS_MAX}`,
    `nonce="${nonce}"`,
    `keyid="${keyid}"`,
    `alg="${alg}"`,
    `tag="${profile.tag}"`,
  ].join(';')
  const signed = { ...request, headers: { ...request.headers, ...digest } }
  const base = buildSignatureBase(signed, target, components, params)
  if (base === undefined) throw new TypeError(`a header of ${components.join(', ')} is missing`)
  return {
    ...digest,
    'Signature-Input': `sig1=${params}`,
    Signature: `sig1=:${signText(base, alg, privateKey).toString(profile.encoding.signature)}:`,
  }
}
