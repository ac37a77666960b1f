import type { FreshnessBlock } from '../../model/answers.ts'
import type { FileKind } from '../../model/observation.ts'
import type { Reader } from '../reader.ts'
import type { ServingStore, SpaceName } from '../serving.ts'
import { ETAG_LENGTH, freshnessJson, readFreshness } from '../serving-value.ts'
import { writer } from './writer.ts'

/** Ready to be sent: content with its freshness block, and the ETag of the content alone. */
export interface StoredAnswer {
  etag: string
  body: Buffer
}

/** A key space of documents, and the file that their freshness speaks of. */
interface Shelf {
  space: Extract<SpaceName, 'brand' | 'property' | 'publisher' | 'lookup'>
  file: FileKind
}

export const shelves = {
  brand: { space: 'brand', file: 'brand.json' },
  property: { space: 'property', file: 'adagents.json' },
  publisher: { space: 'publisher', file: 'adagents.json' },
  lookup: { space: 'lookup', file: 'adagents.json' },
} as const satisfies Record<string, Shelf>

export type ShelfName = keyof typeof shelves

/**
 * The answer stored under a domain. `more` are further members as JSON, `,"name":…`, which the ETag
 * does not cover.
 */
export function findStored(
  reader: Reader,
  shelf: Shelf,
  domain: string,
  more = '',
): StoredAnswer | undefined {
  const store = reader.serving
  const value = store?.peek(shelf.space, domain)
  if (store === undefined || value === undefined) return undefined
  const etag = (value as Buffer).toString('latin1', 0, ETAG_LENGTH)
  writer.start('')
  writeContent(value)
  if (more !== '') writer.text(more)
  writeFreshness(store, shelf.file, domain, reader.now())
  return { etag, body: writer.finish() }
}

/** The name under which a caller asked, and the domain it means, if any. */
export type Asked = ReadonlyMap<string, string | undefined>

/** The answers of many domains as one object: a member a key, in order, null where none is known. */
export function resolveMany(reader: Reader, shelf: Shelf, asked: Asked): Buffer {
  const store = reader.serving
  const now = reader.now()
  writer.start('{"results":{')
  let before = ''
  for (const [key, domain] of asked) {
    writer.ascii(before)
    writer.text(JSON.stringify(key))
    before = ','
    const value = domain === undefined ? undefined : store?.peek(shelf.space, domain)
    if (store === undefined || domain === undefined || value === undefined) {
      writer.ascii(':null')
      continue
    }
    writer.ascii(':')
    writeContent(value)
    writeFreshness(store, shelf.file, domain, now)
  }
  writer.ascii('}}')
  return writer.finish()
}

/** How the file behind a domain stands, also where nothing is stored. */
export function freshnessOf(reader: Reader, file: FileKind, domain: string): FreshnessBlock {
  const value = reader.serving?.get('freshness', `${file} ${domain}`)
  return JSON.parse(freshnessJson(readFreshness(value, reader.now())))
}

/** The stored JSON without its closing brace. */
function writeContent(value: Uint8Array): void {
  writer.copy(value, ETAG_LENGTH, value.length - 1)
}

/** The freshness block as last member, and the brace that closes the answer. */
function writeFreshness(store: ServingStore, file: FileKind, domain: string, now: number): void {
  const value = store.peek('freshness', `${file} ${domain}`)
  writer.ascii(',"freshness":')
  writer.ascii(freshnessJson(readFreshness(value, now)))
  writer.ascii('}')
}
