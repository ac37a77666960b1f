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
