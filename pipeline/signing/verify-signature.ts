import { decodeBytes, isEncodedAlike } from './binary-encoding.ts'
import { checkContentDigest } from './content-digest.ts'
import {
  type Algorithm,
  importPublicKey,
  isAlgorithm,
  isKeyFor,
  type PublicJwk,
  verifyText,
} from './keys.ts'
import { isNonce } from './nonce.ts'
import {
  type Refusal,
  type SigningProfile,
  SKEW_SECONDS_MAX,
  WINDOW_SECONDS_MAX,
} from './profile.ts'
import type { ReplayStore } from './replay-store.ts'
import { buildSignatureBase, findHeader, type SignedRequest } from './signature-base.ts'
import {
  parseByteDictionary,
  parseSignatureInputs,
  type SignatureInput,
} from './structured-fields.ts'
import { hasAsciiAuthority, normalizeTargetUri, type TargetUri } from './target-uri.ts'

export interface Verifier {
  profile: SigningProfile
  /**
   * Finds the public key of a `keyid` of the expected signer; undefined if it had none that was valid when
   * the signature was `created`, in seconds.
   */
  findKey(keyid: string, created: number): PublicJwk | undefined | Promise<PublicJwk | undefined>
  /**
   * Tells whether a key is revoked at a time in seconds; `stale` if that is not known. Without it no key is.
   */
  checkRevocation?(keyid: string, now: number): Revocation | Promise<Revocation>
  replays: ReplayStore
  /** True to refuse a request without a signature. A webhook without one is always refused. */
  isRequired?: boolean
}

type Revocation = 'valid' | 'revoked' | 'stale'

export type Verification =
  | { outcome: 'verified'; keyid: string }
  /** Verified without a signature, since none is required. */
  | { outcome: 'unsigned' }
  | { outcome: 'refused'; refusal: Refusal }

/** A well-formed signature that is not verified yet. */
interface Claim {
  input: SignatureInput
  signature: Buffer
  target: TargetUri
  keyid: string
  /** Time of the signature in seconds, by the signer's clock. */
  created: number
  nonce: string
  alg: Algorithm
}

/**
 * Verifies the signature of a request at a time in seconds. Cheap checks come first, a key is looked up
 * only for a well-formed signature, and a nonce is remembered only when everything else is valid.
 */
export async function verifySignature(
  request: SignedRequest,
  { profile, findKey, checkRevocation, replays, isRequired = false }: Verifier,
  now: number,
): Promise<Verification> {
  const isUnsigned = !findHeader(request, 'signature') && !findHeader(request, 'signature-input')
  if (isUnsigned && profile.kind === 'request') {
    return isRequired ? refuse('required') : { outcome: 'unsigned' }
  }
  const claim = readClaim(request, profile, now)
  if (typeof claim === 'string') return refuse(claim)
  const { keyid, created, alg, input, signature, target } = claim
  const jwk = await findKey(keyid, created)
  if (!jwk) return refuse('key_unknown')
  const key = isKeyFor(jwk, alg, profile) && importPublicKey(jwk)
  if (!key) return refuse('key_purpose_invalid')
  const revocation = (await checkRevocation?.(keyid, now)) ?? 'valid'
  if (revocation === 'revoked') return refuse('key_revoked')
  if (revocation === 'stale') return refuse('revocation_stale')
  const nonce = { keyid, uri: target.uri, nonce: claim.nonce }
  const isFull = await replays.isFull(keyid, now)
  if (isFull && !(await replays.has(nonce, now))) return refuse('rate_abuse')
  const base = buildSignatureBase(request, target, input.components, input.raw)
  if (base === undefined || !verifyText(base, alg, key, signature)) return refuse('invalid')
  if (input.components.includes('content-digest')) {
    const digest = findHeader(request, 'content-digest') ?? ''
    if (!checkContentDigest(digest, request.body)) return refuse('digest_mismatch')
  }
  return (await replays.add(nonce, now)) ? { outcome: 'verified', keyid } : refuse('replayed')
}

function refuse(refusal: Refusal): Verification {
  return { outcome: 'refused', refusal }
}

/**
 * Reads the signature of a request and checks its form, time and coverage; returns the first reason to refuse
 * it.
 */
function readClaim(request: SignedRequest, profile: SigningProfile, now: number): Claim | Refusal {
  const headers = readHeaders(request, profile)
  if (!headers) return 'header_malformed'
  const { input, signature } = headers
  const { params } = input
  const [created, expires] = [params.get('created'), params.get('expires')]
  const [nonce, keyid] = [params.get('nonce'), params.get('keyid')]
  const [alg, tag] = [params.get('alg'), params.get('tag')]
  if (![created, expires, nonce, keyid, alg, tag].every(value => value !== undefined)) {
    return 'params_incomplete'
  }
  if (typeof nonce !== 'string' || typeof keyid !== 'string') return 'header_malformed'
  if (typeof alg !== 'string' || typeof tag !== 'string') return 'header_malformed'
  if (!isNonce(nonce)) return 'params_incomplete'
  if (tag !== profile.tag) return 'tag_invalid'
  if (!isAlgorithm(alg)) return 'alg_not_allowed'
  if (!isWithinWindow(created, expires, now)) return 'window_invalid'
  const refusal = checkComponents(request, input.components, profile)
  if (refusal) return refusal
  const target = normalizeTargetUri(request.url)
  if (!target || !isSecure(target)) return 'target_uri_malformed'
  return { input, signature, target, keyid, created: created as number, nonce, alg }
}

/**
 * Reads the signature of a request: the one labelled `sig1`, else the first. Undefined if a header does not
 * parse, if one of the two headers lacks it, if a covered header has several values, or if the headers are
 * encoded differently where the profile wants them alike.
 */
function readHeaders(
  request: SignedRequest,
  profile: SigningProfile,
): { input: SignatureInput; signature: Buffer } | undefined {
  const inputs = parseSignatureInputs(findHeader(request, 'signature-input') ?? '')
  const signatures = parseByteDictionary(findHeader(request, 'signature') ?? '')
  const input = inputs?.find(({ label }) => label === 'sig1') ?? inputs?.[0]
  const signature = input && signatures?.get(input.label)
  if (!input || !signature || !hasAsciiAuthority(request.url)) return undefined
  if (findHeader(request, 'content-type')?.includes(',')) return undefined
  const digests = readDigests(request, input)
  const isMixed = profile.isEncodingShared && !isEncodedAlike([signature, ...(digests ?? [])])
  return digests && !isMixed ? { input, signature: decodeBytes(signature) } : undefined
}

/** Reads the digests that a signature covers, still encoded; undefined where they do not parse. */
function readDigests(request: SignedRequest, { components }: SignatureInput) {
  const digest = findHeader(request, 'content-digest')
  if (digest === undefined || !components.includes('content-digest')) return []
  const parsed = parseByteDictionary(digest)
  return parsed && [...parsed.values()]
}

function isWithinWindow(created: unknown, expires: unknown, now: number): boolean {
  if (!Number.isInteger(created) || !Number.isInteger(expires)) return false
  const [from, until] = [created as number, expires as number]
  return (
    until > from &&
    until - from <= WINDOW_SECONDS_MAX &&
    from <= now + SKEW_SECONDS_MAX &&
    until >= now - SKEW_SECONDS_MAX
  )
}

/** Checks that a signature covers what its profile wants, and that the request has every header that is covered. */
function checkComponents(
  request: SignedRequest,
  components: readonly string[],
  { components: wanted, digest }: SigningProfile,
): Refusal | undefined {
  const covers = (name: string) => components.includes(name)
  if (!wanted.every(covers)) return 'components_incomplete'
  const isAbsent = (name: string) => findHeader(request, name) === undefined
  if (components.some(name => !name.startsWith('@') && isAbsent(name))) {
    return 'components_incomplete'
  }
  if (digest === 'required' && !covers('content-digest')) return 'components_incomplete'
  if (digest === 'forbidden' && covers('content-digest')) return 'components_unexpected'
  return undefined
}

/** Tells whether a target is reached over TLS, or is the loopback of this machine. */
function isSecure({ uri }: TargetUri): boolean {
  return /^https:|^http:\/\/(?:127\.\d+\.\d+\.\d+|\[::1\])[:/]/.test(uri)
}
