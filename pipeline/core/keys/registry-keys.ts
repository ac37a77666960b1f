import { createPrivateKey, hkdfSync, type JsonWebKey, type KeyObject } from 'node:crypto'
import { type Config, ConfigError } from '../config.ts'
import { getFirst, requireValue } from '../present.ts'
import { readSettingFile } from '../settings/setting-file.ts'
import { type PublicJwk, toPublicJwk } from './signing-key.ts'

const SETTING = 'REGISTRY_SIGNING_KEYS'

/** Purposes for which the registry signs; each has a key of its own, and its JWK names the purpose. */
export const signingPurposes = ['badge-signing', 'webhook-signing'] as const
export type SigningPurpose = (typeof signingPurposes)[number]

/** A public key of the registry, as its JWKS lists it. */
export type RegistryJwk = PublicJwk & { alg: 'EdDSA'; key_ops: ['verify'] }

export interface RegistrySigner {
  kid: string
  privateKey: KeyObject
}

/** The keys with which the registry signs what it says about others and what it sends to them. */
export interface RegistryKeys {
  signers: Readonly<Record<SigningPurpose, RegistrySigner>>
  /** All public keys: current and former signing keys. */
  published: readonly RegistryJwk[]
  /** Lists the public keys of one purpose: current and former. */
  listPublished(purpose: SigningPurpose): RegistryJwk[]
  /** Derives the secrets shared with the receiver of a subscription: that of the current key first. */
  deriveReceiverSecrets(subscriptionId: string): Buffer[]
  /** Derives the secrets that sign links in mails: that of the current key first. */
  deriveLinkSecrets(): Buffer[]
}

/**
 * Reads the keys of the registry from the file that the settings name: one private Ed25519 key as a JWK, or a
 * JWKS of several, of which the first signs. The key of a purpose is derived from it (HKDF), so one file is
 * all that has to be kept. Undefined if the settings name no file. Throws `ConfigError` for a file without
 * such a key.
 */
export function readRegistryKeys(
  config: Pick<Config, 'REGISTRY_SIGNING_KEYS' | 'PROTOCOL_NAME'>,
): RegistryKeys | undefined {
  const path = config.REGISTRY_SIGNING_KEYS
  if (path === undefined) return undefined
  const secrets = readRegistrySecrets(path)
  const sets = secrets.map(deriveKeys)
  const field = `${config.PROTOCOL_NAME}_use`
  const publishFor = (purposes: readonly SigningPurpose[]) =>
    sets.flatMap(keys => purposes.map(use => publish(keys[use], { [field]: use })))
  return {
    signers: getFirst(sets),
    published: publishFor(signingPurposes),
    listPublished: purpose => publishFor([purpose]),
    deriveReceiverSecrets: subscriptionId =>
      secrets.map(secret => deriveSecret(secret, `receiver ${subscriptionId}`)),
    deriveLinkSecrets: () => secrets.map(secret => deriveSecret(secret, 'mail links')),
  }
}

function publish({ privateKey }: RegistrySigner, purpose: Record<string, string>): RegistryJwk {
  return { ...toPublicJwk(privateKey), alg: 'EdDSA', key_ops: ['verify'], ...purpose }
}

/** Reads the private keys of a file. Error texts give no details, since they must not contain a part of a key. */
export function readRegistrySecrets(path: string): Buffer[] {
  const text = readSettingFile(SETTING, path)
  try {
    const file = JSON.parse(text) as JsonWebKey | { keys: JsonWebKey[] }
    const secrets = ('keys' in file ? (file.keys as JsonWebKey[]) : [file]).map(readSecret)
    if (secrets.length > 0) return secrets
  } catch {}
  throw new ConfigError(`${SETTING} names ${path}, which has no private Ed25519 key as a JWK.`)
}

function readSecret(jwk: JsonWebKey): Buffer {
  const key = createPrivateKey({ key: jwk, format: 'jwk' })
  if (key.asymmetricKeyType !== 'ed25519') throw new Error('another kind of key')
  return Buffer.from(
    requireValue(key.export({ format: 'jwk' }).d, 'private part of the key'),
    'base64url',
  )
}

function deriveKeys(secret: Buffer): Record<SigningPurpose, RegistrySigner> {
  const signers = signingPurposes.map(purpose => [purpose, deriveKey(secret, purpose)])
  return Object.fromEntries(signers)
}

/** Bytes before the 32 of a private Ed25519 key in PKCS #8 (RFC 8410). */
const PKCS8_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex')

function deriveKey(secret: Buffer, purpose: SigningPurpose): RegistrySigner {
  const seed = deriveSecret(secret, purpose)
  const key = Buffer.concat([PKCS8_HEAD, seed])
  const privateKey = createPrivateKey({ key, format: 'der', type: 'pkcs8' })
  return { kid: toPublicJwk(privateKey).kid, privateKey }
}

function deriveSecret(secret: Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', `registry ${purpose}`, 32))
}
