import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

const ALGORITHM = 'aes-256-gcm'
const VERSION = 'v1.'
const IV_BYTES = 12
const TAG_BYTES = 16

/**
 * Characters of the shortest credential of an agent: a shorter one could not be told from ordinary words,
 * and so not be hidden in what the agent answers.
 */
export const SECRET_CHARS_MIN = 8

/** Matches a key: 32 bytes in Base64. */
export const SEALING_KEY = /^[A-Za-z0-9+/_-]{43}=?$/

/**
 * Encrypts a secret with AES-256-GCM and returns `v1.` with the nonce, the tag and the ciphertext in
 * Base64. `context` names the owner of the secret. It is authenticated (AAD) and not stored: decryption
 * must pass the same one, so a ciphertext that is copied to another record cannot be decrypted there.
 */
export function encryptSecret(key: string, secret: string, context: string): string {
  return encryptBytes(key, Buffer.from(secret), context)
}

/** Decrypts a secret; undefined if the key or the context differs, or the bytes were changed. */
export function decryptSecret(key: string, sealed: string, context: string): string | undefined {
  return decryptBytes(key, sealed, context)?.toString()
}

/** Encrypts bytes as `encryptSecret` does. */
export function encryptBytes(key: string, content: Buffer, context: string): string {
  const iv = randomBytes(IV_BYTES)
  const cipher = createCipheriv(ALGORITHM, toKeyBytes(key), iv).setAAD(Buffer.from(context))
  const encrypted = Buffer.concat([cipher.update(content), cipher.final()])
  return `${VERSION}${Buffer.concat([iv, cipher.getAuthTag(), encrypted]).toString('base64url')}`
}

/** Decrypts bytes; undefined if the key or the context differs, or the bytes were changed. */
export function decryptBytes(key: string, sealed: string, context: string): Buffer | undefined {
  if (!sealed.startsWith(VERSION)) return undefined
  const bytes = Buffer.from(sealed.slice(VERSION.length), 'base64url')
  const [iv, rest] = [bytes.subarray(0, IV_BYTES), bytes.subarray(IV_BYTES)]
  try {
    const decipher = createDecipheriv(ALGORITHM, toKeyBytes(key), iv, { authTagLength: TAG_BYTES })
      .setAAD(Buffer.from(context))
      .setAuthTag(rest.subarray(0, TAG_BYTES))
    return Buffer.concat([decipher.update(rest.subarray(TAG_BYTES)), decipher.final()])
  } catch {
    return undefined
  }
}

function toKeyBytes(key: string): Buffer {
  return Buffer.from(key, 'base64')
}
