import { countThings } from '../../../pipeline/core/counts.ts'
import type { Source } from '../../../pipeline/model/observation.ts'
import { Fragment, type Html, h } from '../html/jsx.ts'
import { type ShownFile, WITHHELD_REASON } from '../withheld-file.ts'
import { toRawFilePath } from './paths.ts'

/** Lists facts about the bytes of a file when it was last read: a link to them or why there is none, and their digest. */
export function listRawFacts(
  { kind, location }: Source,
  file: ShownFile | null | undefined,
): [string, Html | null | undefined][] {
  if (!file || (kind !== 'adagents.json' && kind !== 'brand.json')) return []
  const size = file.bytes === null ? 'Show file' : countThings(file.bytes, 'byte')
  return [
    [
      'Raw file',
      file.isWithheld ? (
        <>
          {size} (not shown: {WITHHELD_REASON})
        </>
      ) : (
        <a href={toRawFilePath(kind, location)}>{size}</a>
      ),
    ],
    ['SHA-256', <code>{file.sha256}</code>],
  ]
}
