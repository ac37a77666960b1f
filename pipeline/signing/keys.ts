import { createPublicKey, type JsonWebKey, type KeyObject, sign, verify } from 'node:crypto'
import type { SigningProfile } from './profile.ts'

/** A public key as a JWKS lists it. Other programs compile it with the types of their own Node, so it uses none of ours. */
export interface PublicJwk {
  kid: string
  kty?: string
  crv?: string
  x?: string
  y?: string
  use?: string
  alg?: string
  key_ops?: string[]
  [name: string]: unknown
}

/** Fields that a JWK of each algorithm must have. */
const ALGORITHMS = {
  ed25519: { kty: 'OKP', crv: 'Ed25519', alg: ['EdDSA', 'Ed25519'] },
  'ecdsa-p256-sha256': { kty: 'EC', crv: 'P-256', alg: ['ES256'] },
} as const

/** An algorithm as the `alg` parameter of a signature names it. */
export type Algorithm = keyof typeof ALGORITHMS

/** Tells whether a text names a supported algorithm. */
export function isAlgorithm(alg: unknown): alg is Algorithm {
  return typeof alg === 'string' && Object.hasOwn(ALGORITHMS, alg)
}

/** Tells whether a key is of the algorithm and declares that it verifies signatures of this profile. */
export function isKeyFor(jwk: PublicJwk, alg: Algorithm, { keyUse }: SigningProfile): boolean {
  const kind = ALGORITHMS[alg]
  const isOfAlgorithm =
    jwk.kty === kind.kty &&
    jwk.crv === kind.crv &&
    (jwk.use === undefined || jwk.use === 'sig') &&
    (jwk.alg === undefined || kind.alg.some(name => name === jwk.alg))
  return (
    isOfAlgorithm &&
    keyUse.values.some(use => use === jwk[keyUse.field]) &&
    Array.isArray(jwk.key_ops) &&
    jwk.key_ops.includes('verify')
  )
}

/** Imports the key of a JWK; undefined if its coordinates are not a point of its curve. */
export function importPublicKey({ kty, crv, x, y }: PublicJwk): KeyObject | undefined {
  try {
    return createPublicKey({ key: { kty, crv, x, y } as JsonWebKey, format: 'jwk' })
  } catch {
    return undefined
  }
}

/** Encodes ECDSA signatures as RFC 9421 requires: r and s one after the other, 64 bytes, instead of DER. */
const RAW_NUMBERS = { dsaEncoding: 'ieee-p1363' } as const

/** Signs a text and returns the raw signature. */
export function signText(text: string, alg: Algorithm, key: KeyObject): Buffer {
  if (alg === 'ed25519') return sign(null, Buffer.from(text), key)
  return sign('sha256', Buffer.from(text), { key, ...RAW_NUMBERS })
}

/** Verifies the raw signature of a text. */
export function verifyText(text: string, alg: Algorithm, key: KeyObject, bytes: Buffer): boolean {
  if (alg === 'ed25519') return verify(null, Buffer.from(text), key, bytes)
  return verify('sha256', Buffer.from(text), { key, ...RAW_NUMBERS }, bytes)
}
