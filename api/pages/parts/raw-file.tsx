import { countThings } from '../../../pipeline/core/counts.ts'
import type { Source } from '../../../pipeline/model/observation.ts'
import type { FileRecord } from '../../../pipeline/read/lookups/file-records.ts'
import { type Html, h } from '../html/jsx.ts'
import { toRawFilePath } from './paths.ts'

/** Lists facts about the bytes of a file when it was last read: a link to them, and their digest. */
export function listRawFacts(
  { kind, location }: Source,
  file: FileRecord | null | undefined,
): [string, Html | null | undefined][] {
  if (!file || (kind !== 'adagents.json' && kind !== 'brand.json')) return []
  const size = file.bytes === null ? 'Show file' : countThings(file.bytes, 'byte')
  return [
    ['Raw file', <a href={toRawFilePath(kind, location)}>{size}</a>],
    ['SHA-256', <code>{file.sha256}</code>],
  ]
}
