import { createHash, createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import type { Doc } from './site.ts'

/** Prefix of the 32 secret bytes in an Ed25519 private key (RFC 8410). */
const ed25519Prefix = Buffer.from('302e020100300506032b657004220420', 'hex')

export type SigningKey = { kid: string; privateKey: KeyObject; jwk: Doc }

/**
 * Derives the key with which an operator signs webhooks from its name, so that every process has
 * the same.
 */
export function deriveSigningKey(operator: string): SigningKey {
  const secret = createHash('sha256').update(`demo internet key of ${operator}`).digest()
  const der = Buffer.concat([ed25519Prefix, secret])
  const privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
  const kid = `${operator.split('.')[0]}-1`
  const shape = createPublicKey(privateKey).export({ format: 'jwk' })
  return { kid, privateKey, jwk: { kid, alg: 'EdDSA', use: 'sig', key_ops: ['verify'], ...shape } }
}
