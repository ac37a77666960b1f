import { hashCanonicalJson } from '../core/canonical-json.ts'
import {
  type LogSigner,
  readNote,
  signNote,
  type VerifierKey,
  verifyNote,
} from '../transparency/signed-note.ts'
import type { PublishedManifest } from './manifest.ts'

/** Signs a manifest with the key of the log: a note of the log's name and the hash of the manifest. */
export function signManifest(
  manifest: Omit<PublishedManifest, 'signature'>,
  signer: LogSigner,
): string {
  return signNote(writeText(signer.origin, hashManifest(manifest)), signer)
}

/**
 * Hashes a manifest as it was parsed from JSON, without its signature, but with members that this version does
 * not know.
 */
export function hashManifest(content: object): string {
  return hashCanonicalJson({ ...content, signature: undefined })
}

/** Checks that a note is the signature of a manifest with this hash; returns a sentence on why it is not. */
export function findSignatureFault(
  note: string | undefined,
  hash: string,
  key: VerifierKey,
): string | undefined {
  if (note === undefined) return 'it is not signed'
  const fault = verifyNote(note, key)
  if (fault !== undefined) return fault
  return readNote(note)?.text === writeText(key.name, hash)
    ? undefined
    : 'its signature is of another manifest'
}

/** Builds the text that is signed. It cannot be taken for a tree head, whose second line is a number. */
function writeText(origin: string, hash: string): string {
  return `${origin}\nmanifest\n${hash}\n`
}
