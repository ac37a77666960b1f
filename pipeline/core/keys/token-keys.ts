import { createECDH, createHash, hkdfSync } from 'node:crypto'
import type { Config } from '../config.ts'
import { readRegistrySecrets } from './registry-keys.ts'

/** The public half of a key that signs user tokens. */
export interface TokenJwk {
  kty: 'EC'
  crv: 'P-256'
  x: string
  y: string
  /** Thumbprint of RFC 7638. */
  kid: string
  alg: 'ES256'
  use: 'sig'
}

/** Keys of the authorization server, all derived from the keys of the registry. */
export interface TokenKeys {
  /** Private keys of tokens; the first signs. */
  private: readonly (TokenJwk & { d: string })[]
  /** Public keys by which tokens are verified: of the current key and of former ones. */
  public: readonly TokenJwk[]
  /** Secrets that sign cookies; the first signs. */
  cookies: readonly string[]
  /** Secrets that encrypt what a browser keeps for the registry; the first encrypts. */
  sealing: readonly string[]
}

const COORDINATE_BYTES = 32

/**
 * Reads the keys of the authorization server: one for each key of the registry, and in its order, so
 * putting another one first rotates them. Undefined where the settings name none.
 */
export function readTokenKeys(
  config: Pick<Config, 'REGISTRY_SIGNING_KEYS'>,
): TokenKeys | undefined {
  const path = config.REGISTRY_SIGNING_KEYS
  if (path === undefined) return undefined
  const secrets = readRegistrySecrets(path)
  const keys = secrets.map(deriveTokenKey)
  return {
    private: keys,
    public: keys.map(({ d: _, ...jwk }) => jwk),
    cookies: secrets.map(secret => deriveBytes(secret, 'cookies').toString('base64url')),
    sealing: secrets.map(secret => deriveBytes(secret, 'sealing').toString('base64url')),
  }
}

/** Derives a P-256 key. One derivation in 2^32 is not a valid private key; then the next one is used. */
function deriveTokenKey(secret: Buffer): TokenJwk & { d: string } {
  const curve = createECDH('prime256v1')
  for (let attempt = 0; ; attempt++) {
    const d = deriveBytes(secret, `token-signing ${attempt}`)
    try {
      curve.setPrivateKey(d)
    } catch {
      continue
    }
    const point = curve.getPublicKey().subarray(1)
    const x = point.subarray(0, COORDINATE_BYTES).toString('base64url')
    const y = point.subarray(COORDINATE_BYTES).toString('base64url')
    const kid = createHash('sha256')
      .update(`{"crv":"P-256","kty":"EC","x":"${x}","y":"${y}"}`)
      .digest('base64url')
    const jwk = { kty: 'EC', crv: 'P-256', x, y, kid, alg: 'ES256', use: 'sig' } as const
    return { ...jwk, d: d.toString('base64url') }
  }
}

function deriveBytes(secret: Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', `registry ${purpose}`, COORDINATE_BYTES))
}
