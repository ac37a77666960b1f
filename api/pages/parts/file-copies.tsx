import { parseSource } from '../../../pipeline/model/observation.ts'
import type { Evidence } from '../../../pipeline/model/responses/authority.ts'
import { findFileRecord } from '../../../pipeline/read/lookups/file-records.ts'
import type { Reader } from '../../../pipeline/read/reader.ts'
import { toRawFilePath } from './paths.ts'

/** Paths of the bytes that the registry read, by the URLs of the files. */
export type FileCopies = ReadonlyMap<string, string>

const kinds = { publisher: 'adagents.json', operator: 'brand.json' } as const

/** Finds the copies of the files that the steps of a judgement cite. */
export function findFileCopies(reader: Reader, evidence: readonly Evidence[]): FileCopies {
  const copies = new Map<string, string>()
  for (const kind of Object.values(kinds)) {
    const steps = evidence.filter(({ side }) => kinds[side] === kind)
    const cited = steps.flatMap(({ file, files = [] }) => [file, ...files.map(({ file }) => file)])
    for (const url of new Set(cited)) {
      const source = url === undefined ? undefined : parseSource(kind, url)
      if (url !== undefined && source && findFileRecord(reader, source))
        copies.set(url, toRawFilePath(kind, source.location))
    }
  }
  return copies
}
