import type { DocumentOf, SourceKind } from '../model/documents/index.ts'
import type { Fault } from '../model/observation.ts'
import { parseAdagents } from './adagents-json.ts'
import { parseAdsTxt } from './ads-txt.ts'
import { parseBrandJson } from './brand-json.ts'
import { Faults } from './faults.ts'
import { ObjectReader } from './object-reader.ts'
import { readJson } from './read-json.ts'

export interface ParseContext {
  /** The domain whose well-known file it is; undefined for a file that another one points to. */
  domain?: string | undefined
  maxFaults: number
}

export interface Parsed {
  outcome: 'ok' | 'unusable' | 'not_json'
  /** With `ok` only. */
  document?: DocumentOf
  faults: Fault[]
}

/**
 * Parses a file to a document and faults. Valid parts become the document; each invalid one is reported and
 * loses only itself. Never throws, whatever the bytes. `not_json` (for ads.txt: a web page) and `unusable`
 * mean that there is no document.
 */
export function parseDocument(kind: SourceKind, body: Uint8Array, ctx: ParseContext): Parsed {
  const faults = new Faults(ctx.maxFaults)
  if (kind === 'ads.txt') {
    const document = parseAdsTxt(body, faults, ctx.domain)
    return document === undefined
      ? { outcome: 'not_json', faults: faults.list() }
      : { outcome: 'ok', document, faults: faults.list() }
  }
  const read = readJson(body, faults)
  if (read.outcome !== 'ok') return { outcome: read.outcome, faults: faults.list() }
  const parse = kind === 'adagents.json' ? parseAdagents : parseBrandJson
  const document = parse(new ObjectReader(read.root, '', faults), ctx.domain)
  if (document === undefined) return { outcome: 'unusable', faults: faults.list() }
  return { outcome: 'ok', document, faults: faults.list() }
}
