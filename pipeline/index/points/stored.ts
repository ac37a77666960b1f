import type { Instant } from '../../core/clock.ts'
import type { FreshnessBlock } from '../../model/answers.ts'
import type { SourceKind } from '../../model/documents.ts'
import type { FileKind } from '../../model/observation.ts'
import type { Reader } from '../reader.ts'
import type { ServingStore, SpaceName } from '../serving.ts'
import { freshnessKey } from '../serving-keys.ts'
import { etagOf, freshnessJson, HEAD_LENGTH, modifiedAt, readFreshness } from '../serving-value.ts'
import { writer } from './writer.ts'

/** Ready to be sent: content with its freshness block, and the ETag of the content alone. */
export interface StoredAnswer {
  etag: string
  /** Not said where something else than a commit of this key changes the content too. */
  modifiedAt?: Instant
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
 * The answer stored under a domain. `more` are members as JSON that the ETag does not cover; `within`
 * are such members of the object that is the last member of what is stored.
 */
export function findStored(
  reader: Reader,
  shelf: Shelf,
  domain: string,
  { more = '', within }: { more?: string; within?: string } = {},
): StoredAnswer | undefined {
  const store = reader.serving
  if (store === undefined) return undefined
  const inner = within === undefined ? '' : `${within}}`
  const end = inner + more + freshnessMember(store, shelf.file, domain, reader.now())
  const value = store.peek(shelf.space, domain)
  if (value === undefined) return undefined
  writer.start()
  writer.bytes(contentOf(value, within === undefined ? 1 : 2))
  writer.text(end)
  return { etag: etagOf(value), modifiedAt: modifiedAt(value), body: writer.finish() }
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
  const value = reader.serving?.get('freshness', freshnessKey(kind, location))
  return JSON.parse(freshnessJson(readFreshness(value, reader.now())))
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
  const value = store.peek('freshness', `${file} ${domain}`)
  return `,"freshness":${freshnessJson(readFreshness(value, now))}}`
}
