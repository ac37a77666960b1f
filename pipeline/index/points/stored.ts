import type { Instant } from '../../core/clock.ts'
import type { FreshnessBlock } from '../../model/answers.ts'
import type { SourceKind } from '../../model/documents.ts'
import type { FileKind } from '../../model/observation.ts'
import type { Reader } from '../reader.ts'
import type { ServingStore, SpaceName } from '../serving.ts'
import { freshnessJson, readFreshness } from '../serving-freshness.ts'
import { freshnessKey } from '../serving-keys.ts'
import { etagOf, HEAD_LENGTH, type Mark, markOf, modifiedAt } from '../serving-value.ts'
import { writer } from './writer.ts'

/** Ready to be sent: content with its freshness block, and the ETag of the content alone. */
export interface StoredAnswer {
  etag: string
  /** Not said where something else than a commit of this key changes the content too. */
  modifiedAt?: Instant
  body: Buffer | string
}

/** A short answer is sent in one piece with its headers, as text; of a long one the bytes are not read. */
const SHORT = 16 * 1024

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

/** Members that an answer gets when it is sent, and that its ETag does not cover. */
interface Added {
  /** JSON, each member with a comma before it. */
  more?: string
  /** The same for the object that is the last member of what is stored. */
  within?(freshness: FreshnessBlock): string
}

/** The answer stored under a domain, with what it is marked as. */
export function findStored(
  reader: Reader,
  shelf: Shelf,
  domain: string,
  { more = '', within }: Added = {},
): (StoredAnswer & { mark: Mark }) | undefined {
  const store = reader.serving
  if (store === undefined) return undefined
  const freshness = freshnessIn(store, shelf.file, domain, reader.now())
  const inner = within === undefined ? '' : `${within(freshness)}}`
  const end = `${inner}${more},"freshness":${freshnessJson(freshness)}}`
  const value = store.peek(shelf.space, domain)
  if (value === undefined) return undefined
  const braces = within === undefined ? 1 : 2
  const body =
    value.length > SHORT
      ? Buffer.concat([contentOf(value, braces), Buffer.from(end)])
      : value.toString('utf8', HEAD_LENGTH, value.length - braces) + end
  return { etag: etagOf(value), modifiedAt: modifiedAt(value), mark: markOf(value), body }
}

/** The name under which a caller asked, and the domain it means, if any. */
export type Asked = ReadonlyMap<string, string | undefined>

/** The answers of many domains as one object: a member a key, in order, null where none is known. */
export function resolveMany(reader: Reader, shelf: Shelf, asked: Asked): Buffer {
  const store = reader.serving
  const now = reader.now()
  let before = '{"results":{'
  writer.start()
  for (const [key, domain] of asked) {
    writer.text(`${before}${JSON.stringify(key)}:`)
    before = ','
    const value = domain === undefined ? undefined : store?.peek(shelf.space, domain)
    if (store === undefined || domain === undefined || value === undefined) writer.ascii('null')
    else {
      writer.bytes(contentOf(value))
      writer.ascii(freshnessMember(store, shelf.file, domain, now))
    }
  }
  writer.ascii('}}')
  return writer.finish()
}

/** How the file of a domain stands, or an agent, also where nothing is stored. */
export function freshnessOf(reader: Reader, kind: SourceKind, location: string): FreshnessBlock {
  const { serving } = reader
  return serving === undefined
    ? { state: 'never_crawled' }
    : freshnessIn(serving, kind, location, reader.now())
}

/** The same as JSON text. */
export function freshnessText(reader: Reader, kind: SourceKind, location: string): string {
  return freshnessJson(freshnessOf(reader, kind, location))
}

function freshnessIn(
  store: ServingStore,
  kind: SourceKind,
  location: string,
  now: Instant,
): FreshnessBlock {
  return readFreshness(store.peek('freshness', freshnessKey(kind, location)), kind, now)
}

/** The stored JSON without its closing braces; as short-lived as the value. */
function contentOf(value: Uint8Array, braces = 1): Uint8Array {
  return new Uint8Array(
    value.buffer,
    value.byteOffset + HEAD_LENGTH,
    value.length - HEAD_LENGTH - braces,
  )
}

/** The freshness block as last member, and the brace that closes the answer. */
function freshnessMember(store: ServingStore, file: FileKind, domain: string, now: number): string {
  return `,"freshness":${freshnessJson(freshnessIn(store, file, domain, now))}}`
}
