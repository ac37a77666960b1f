import { createHash, createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import { ConfigError } from '../config-error.ts'
import { requireValue } from '../present.ts'
import { readSettingFile } from '../settings/setting-file.ts'

export interface SigningKey {
  private: KeyObject
  /** The public key, as it is published. */
  public: PublicJwk
  /** RFC 7638 thumbprint of the public half, base64url. */
  id: string
}

export interface PublicJwk {
  kty: 'OKP'
  crv: 'Ed25519'
  x: string
  kid: string
  use: 'sig'
}

/**
 * Reads a private Ed25519 key from a file with one JWK. Throws `ConfigError` for anything else, which names
 * the setting.
 */
export function readSigningKey(path: string, setting = 'CRAWL_SIGNING_KEY'): SigningKey {
  const key = parsePrivateKey(readSettingFile(setting, path))
  if (key?.asymmetricKeyType !== 'ed25519') {
    throw new ConfigError(`${setting} names ${path}, which has no private Ed25519 key as a JWK.`)
  }
  const jwk = toPublicJwk(key)
  return { private: key, public: jwk, id: jwk.kid }
}

/** Converts a private Ed25519 key to its public half; the id is the thumbprint of RFC 7638. */
export function toPublicJwk(key: KeyObject): PublicJwk {
  const x = requireValue(createPublicKey(key).export({ format: 'jwk' }).x, 'public part of the key')
  const kid = createHash('sha256')
    .update(`{"crv":"Ed25519","kty":"OKP","x":"${x}"}`)
    .digest('base64url')
  return { kty: 'OKP', crv: 'Ed25519', x, kid, use: 'sig' }
}

/** Parses the private key. Error texts give no details, since they must not contain a part of the key. */
function parsePrivateKey(text: string): KeyObject | undefined {
  try {
    return createPrivateKey({ key: JSON.parse(text), format: 'jwk' })
  } catch {
    return undefined
  }
}
