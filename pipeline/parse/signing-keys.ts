import { quote } from './faults.ts'
import type { JsonObject, ObjectReader } from './object-reader.ts'
import { describeChoice } from './suggestions.ts'

const PRIVATE_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k']
const PUBLIC =
  /^(?:kid|kty|alg|use|crv|x|y|n|e|key_ops|x5u|x5c|x5t|x5t#S256|revoked_at|[a-z]+_use)$/
/** Members without which a key of each type verifies nothing (RFC 7518, RFC 8037). */
const publicMembers: Readonly<Record<string, readonly string[]>> = {
  OKP: ['crv', 'x'],
  EC: ['crv', 'x', 'y'],
  RSA: ['n', 'e'],
}
const TEXTS = ['alg', 'use', 'crv', 'x', 'y', 'n', 'e']
const VALUE_CHARS = 4_096

/**
 * Reads the keys an agent is pinned to. An unusable list pins it to no key; an unusable key is left out,
 * and so is one whose revocation has no date. Only public members are kept.
 */
export function readSigningKeys(part: ObjectReader): JsonObject[] | undefined {
  if (!part.has('signing_keys')) return undefined
  checkPrivateKeys(part, 'signing_keys')
  if (Array.isArray(part.value.signing_keys) && part.value.signing_keys.length === 0) {
    part.error('signing_keys', 'empty', 'is empty, so no key is trusted: leave it out to pin none')
  }
  const listed = part.parts('signing_keys')
  reportRepeated(listed)
  return listed.map(readKey).filter(key => key !== undefined)
}

/** Reports keys that share an id: a signature names its key by it, so none of them verifies one. */
function reportRepeated(listed: readonly ObjectReader[]): void {
  const first = new Map<unknown, ObjectReader>()
  for (const key of listed) {
    const { kid } = key.value
    const other = first.get(kid)
    if (other === undefined) first.set(kid, key)
    else if (typeof kid === 'string')
      key.error(
        'kid',
        'repeated',
        `is that of ${other.field} too, so neither is trusted: give each key an ID of its own`,
      )
  }
}

function readKey(part: ObjectReader): JsonObject | undefined {
  const complete = (['kid', 'kty'] as const).filter(key => part.requiredText(key) !== undefined)
  for (const key of ['kid', 'kty'])
    if (!part.has(key))
      part.error(
        key,
        'missing',
        `is missing, so the key was left out: write ${key === 'kid' ? 'its id' : 'its type, such as OKP'}`,
      )
  for (const key of TEXTS) part.text(key, VALUE_CHARS)
  checkPublicMembers(part)
  const revokedAt = part.limit('revoked_at')
  if (complete.length < 2 || (part.has('revoked_at') && revokedAt === undefined)) return undefined
  const key: JsonObject = {}
  for (const [name, value] of Object.entries(part.value)) {
    if (PUBLIC.test(name) && isPlain(value)) key[name] = value
  }
  if (revokedAt !== undefined) key.revoked_at = revokedAt
  return key
}

/** Reports a key that cannot verify a signature. It is kept: its id still says which keys the agent may use. */
function checkPublicMembers(part: ObjectReader): void {
  const type = part.value.kty
  if (typeof type !== 'string' || type.trim() === '') return
  const required = publicMembers[type]
  if (required === undefined) {
    part.warn('kty', 'not_allowed', () => describeChoice(type, Object.keys(publicMembers)))
    return
  }
  const absent = required.filter(name => !part.has(name))
  if (absent.length === 0) return
  const names = absent.map(quote).join(' and ')
  part.faults.warn(
    part.field,
    'incomplete',
    `lacks ${names}, so it cannot verify a signature: add ${names} from the agent’s public key`,
  )
}

function isPlain(value: unknown): boolean {
  return Array.isArray(value) ? value.every(isPlainText) : isPlainText(value)
}

function isPlainText(value: unknown): boolean {
  return typeof value === 'string' && value.length <= VALUE_CHARS
}

/** Checks for private keys: one that is published must be reported wherever it is. */
export function checkPrivateKeys(
  part: ObjectReader,
  key: 'signing_keys' | 'encryption_keys',
): void {
  const list = part.value[key]
  if (!Array.isArray(list)) return
  list.forEach((item, i) => {
    const member = PRIVATE_MEMBERS.find(name => item?.[name] !== undefined)
    if (member === undefined) return
    const message = `is part of a private key: replace the key pair at once, since the private key is now public`
    part.error(`${key}[${i}].${member}`, 'private_key', message)
  })
}
