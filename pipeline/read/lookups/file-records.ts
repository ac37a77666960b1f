import type { Source } from '../../model/observation.ts'
import type { FileRecord } from '../../serving/file-record.ts'
import { toPointerKey } from '../../serving/keys.ts'
import type { Reader } from '../reader.ts'

export type { FileRecord }

/** Finds what is known of a file; null where it was never understood, undefined before the first commit. */
export function findFileRecord(
  { serving }: Pick<Reader, 'serving'>,
  { kind, location }: Source,
): FileRecord | null | undefined {
  if (serving === undefined) return undefined
  const stored = serving.text('file', toPointerKey(kind, location))
  return stored === undefined ? null : JSON.parse(stored)
}

const RESOLVED = /"resolved_url":"((?:[^"\\]|\\.)*)"/
/** Length of the part of a record that has the address: the faults of a file come after it. */
const HEAD_CHARS = 4_096

/** Finds the address that answered for a file after HTTP redirects; undefined where there were none. */
export function findFinalAddress(
  { serving }: Pick<Reader, 'serving'>,
  { kind, location }: Source,
): string | undefined {
  const head = serving?.text('file', toPointerKey(kind, location))?.slice(0, HEAD_CHARS)
  const found = head === undefined ? undefined : RESOLVED.exec(head)?.[0]
  return found && JSON.parse(`{${found}}`).resolved_url
}
