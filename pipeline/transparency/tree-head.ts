import { LOG_ORIGIN } from '../core/log-origin.ts'
import { HASH_BYTES } from './merkle.ts'
import {
  decodeBase64,
  type LogSigner,
  readNote,
  signNote,
  type VerifierKey,
  verifyNote,
} from './signed-note.ts'

/** Head of a tree: the log it belongs to, its number of leaves, and the hash over all of them. */
export interface TreeHead {
  origin: string
  size: number
  root: Buffer
}

/** Builds the signed note of a tree head (C2SP tlog-checkpoint). */
export function signHead({ size, root }: Omit<TreeHead, 'origin'>, signer: LogSigner): string {
  return signNote(`${signer.origin}\n${size}\n${root.toString('base64')}\n`, signer)
}

/** Parses a signed tree head without checking its signatures; undefined for anything else. */
export function parseHead(note: string): TreeHead | undefined {
  const [origin, size, root] = readNote(note)?.text.split('\n') ?? []
  if (origin === undefined || size === undefined || root === undefined) return undefined
  if (!LOG_ORIGIN.test(origin) || !/^(?:0|[1-9]\d{0,14})$/.test(size)) return undefined
  const hash = decodeBase64(root)
  if (hash?.length !== HASH_BYTES) return undefined
  return { origin, size: Number(size), root: hash }
}

/** Verifies a tree head by a public key; returns the head, or a sentence on why it is not valid. */
export function verifyHead(note: string, key: VerifierKey): TreeHead | string {
  const head = parseHead(note)
  if (head === undefined) return 'it is no signed tree head'
  const fault = verifyNote(note, key)
  if (fault !== undefined) return fault
  return head.origin === key.name ? head : `it is of the log ${head.origin}, not ${key.name}`
}
