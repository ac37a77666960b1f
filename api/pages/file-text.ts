import { isUtf8 } from 'node:buffer'
import type { Domain } from '../../pipeline/core/domain.ts'
import { PublicError } from '../../pipeline/core/errors.ts'
import type { ProposedKind } from '../../pipeline/model/proposed-kind.ts'
import { findFreshness } from '../../pipeline/read/lookups/stored.ts'
import { readFileBytes } from '../../pipeline/read/queries/file-bytes.ts'
import { getSnapshot } from '../responses/lists.ts'
import { askIfReady } from './ask.ts'
import { type ShownText, toShownText } from './shown-text.ts'
import type { ViewCall } from './view.ts'

/** Maximum bytes of a file that is edited on a page; a form with it must fit in a body. */
const FILE_BYTES_MAX = 900 * 1024

type Asking = Pick<ViewCall, 'services' | 'caller'>

/** Text of a file, and when it was like that. */
interface FileText extends ShownText {
  /** False if it is in another encoding, so that some characters were lost. */
  isUtf8: boolean
  when: 'was last read' | 'is served now'
}

/** Loads the text of the file of a domain: as it is served now if it cannot be read, else as it was last read. */
export async function loadFileText(
  domain: Domain,
  kind: ProposedKind,
  call: Asking,
): Promise<FileText | undefined> {
  return (await readBroken(domain, kind, call)) ?? (await loadStored(domain, kind, call))
}

/**
 * Reads the text of a file now if it could not be used when it was last crawled: the registry keeps only what it
 * could use. Undefined if it can be read by now, or no crawler answers.
 */
async function readBroken(
  domain: Domain,
  kind: ProposedKind,
  { services, caller }: Asking,
): Promise<FileText | undefined> {
  const { reader, outbound, config } = services
  if (!isBroken(findFreshness(reader, kind, domain).outcome)) return undefined
  try {
    const { answer } = await outbound.ask<'read_text'>({
      cacheKey: `text ${kind} ${domain}`,
      caller: caller(),
      ms: config.LIMITS.validateMs,
      request: () => ({ kind: 'read_text', domain, file: kind }),
    })
    if (!isBroken(answer.outcome) || answer.text === undefined) return undefined
    const shown = toShownText(normalizeLineEnds(answer.text))
    return { ...shown, isUtf8: true, when: 'is served now' }
  } catch (error) {
    if (error instanceof PublicError) return undefined
    throw error
  }
}

function isBroken(outcome: string | undefined): boolean {
  return outcome === 'not_json' || outcome === 'unusable'
}

/** Loads the bytes of a file as text, as they were last understood. */
async function loadStored(
  domain: Domain,
  kind: ProposedKind,
  { services: { reader } }: Asking,
): Promise<FileText | undefined> {
  const found = await askIfReady(reader, async () => {
    const snapshot = getSnapshot(reader)
    const source = { kind, location: domain }
    return snapshot && readFileBytes(reader, snapshot, source, FILE_BYTES_MAX)
  })
  if (found === undefined) return undefined
  return { ...decodeFile(found.bytes), when: 'was last read' }
}

/** Decodes the bytes of a crawled file as a page shows them. */
export function decodeFile(bytes: Buffer): Omit<FileText, 'when'> {
  return { ...toShownText(normalizeLineEnds(bytes.toString('utf8'))), isUtf8: isUtf8(bytes) }
}

/** Normalizes line ends to those that a browser shows. */
function normalizeLineEnds(text: string): string {
  return text.replace(/^\ufeff/, '').replaceAll('\r\n', '\n')
}
