import { createHash, createPublicKey, type KeyObject, sign, verify } from 'node:crypto'
import { LOG_ORIGIN } from '../core/log-origin.ts'
import { requireValue } from '../core/present.ts'

/** Signs in the name of a log: its tree heads, and what is published beside them. */
export interface LogSigner {
  origin: string
  key: KeyObject
}

/** A public key that signs for a log: its name and the 32 bytes of Ed25519. */
export interface VerifierKey {
  name: string
  publicKey: Buffer
}

/** A text and those who signed it. */
export interface SignedNote {
  text: string
  signatures: { name: string; bytes: Buffer }[]
}

const ED25519 = 0x01
const ID_BYTES = 4
/** Bytes before the 32 of a public Ed25519 key in SPKI (RFC 8410). */
const SPKI_HEAD = Buffer.from('302a300506032b6570032100', 'hex')
/** Largest signed note that is read: room for the signatures of many witnesses. */
const NOTE_BYTES_MAX = 64 * 1024

/** Signs a text, which ends with a line break (C2SP signed-note). */
export function signNote(text: string, { origin, key }: LogSigner): string {
  const id = buildKeyId({ name: origin, publicKey: toRawPublicKey(key) })
  const signature = Buffer.concat([id, sign(null, Buffer.from(text), key)])
  return `${text}\n— ${origin} ${signature.toString('base64')}\n`
}

/** Splits a note at its last empty line into text and signatures, which are not checked; undefined for anything else. */
export function readNote(note: string): SignedNote | undefined {
  const end = note.lastIndexOf('\n\n')
  if (end < 0 || note.length > NOTE_BYTES_MAX || !note.endsWith('\n')) return undefined
  const signatures = []
  for (const line of note.slice(end + 2, -1).split('\n')) {
    const [, name, encoded] = /^— (\S+) (\S+)$/.exec(line) ?? []
    const bytes = encoded === undefined ? undefined : decodeBase64(encoded)
    if (name === undefined || bytes === undefined) return undefined
    signatures.push({ name, bytes })
  }
  return { text: note.slice(0, end + 1), signatures }
}

/** Checks that a key has signed a note; returns a sentence on why it has not. */
export function verifyNote(note: string, key: VerifierKey): string | undefined {
  const parts = readNote(note)
  if (parts === undefined) return 'it is no signed note'
  const own = parts.signatures.filter(({ name, bytes }) => name === key.name && isBy(bytes, key))
  if (own.length === 0) return `the key ${formatVerifierKey(key)} has not signed it`
  const der = Buffer.concat([SPKI_HEAD, key.publicKey])
  const publicKey = createPublicKey({ key: der, format: 'der', type: 'spki' })
  const isSigned = own.every(({ bytes }) =>
    verify(null, Buffer.from(parts.text), publicKey, bytes.subarray(ID_BYTES)),
  )
  return isSigned ? undefined : `a signature of ${key.name} is not valid`
}

/** Tells whether a note names this key as one that signed it, be the signature valid or not; true for what is no note. */
export function isSignedWith(note: string, key: KeyObject): boolean {
  const publicKey = toRawPublicKey(key)
  const parts = readNote(note)
  return parts?.signatures.some(({ name, bytes }) => isBy(bytes, { name, publicKey })) ?? true
}

/** Formats a key as `name+id+key`, as verifiers of notes take it. */
export function formatVerifierKey(key: VerifierKey): string {
  const typed = Buffer.concat([Buffer.from([ED25519]), key.publicKey])
  return `${key.name}+${buildKeyId(key).toString('hex')}+${typed.toString('base64')}`
}

/** Parses `name+id+key`; undefined for anything else, or where the id is of another key. */
export function parseVerifierKey(text: string): VerifierKey | undefined {
  const [name, id, ...rest] = text.trim().split('+')
  const typed = decodeBase64(rest.join('+'))
  if (name === undefined || !LOG_ORIGIN.test(name)) return undefined
  if (typed?.length !== 33 || typed[0] !== ED25519) return undefined
  const key = { name, publicKey: typed.subarray(1) }
  return buildKeyId(key).toString('hex') === id ? key : undefined
}

/** Returns the public key of a signer. */
export function toVerifierKey({ origin, key }: LogSigner): VerifierKey {
  return { name: origin, publicKey: toRawPublicKey(key) }
}

function toRawPublicKey(key: KeyObject): Buffer {
  const { x } = createPublicKey(key).export({ format: 'jwk' })
  return Buffer.from(requireValue(x, 'public part of the key'), 'base64url')
}

function buildKeyId({ name, publicKey }: VerifierKey): Buffer {
  const text = Buffer.from(`${name}\n`)
  const digest = createHash('sha256')
    .update(text)
    .update(Buffer.from([ED25519]))
    .update(publicKey)
  return digest.digest().subarray(0, ID_BYTES)
}

function isBy(signature: Buffer, key: VerifierKey): boolean {
  return signature.subarray(0, ID_BYTES).equals(buildKeyId(key))
}

/** Decodes base64; undefined for text that is not the one way to write these bytes. */
export function decodeBase64(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64')
  return bytes.toString('base64') === text ? bytes : undefined
}
