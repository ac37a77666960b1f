import { randomUUID } from 'node:crypto'
import { toAssignedCountry } from '../core/country.ts'
import { type AgentProducts, channels } from '../model/documents/index.ts'
import { clip } from '../parse/clip.ts'
import { isObject, type JsonObject, type ObjectReader } from '../parse/object-reader.ts'
import { hasList } from './agent-blocks.ts'

const PRODUCTS_MAX = 1_000
const ITEMS_MAX = 200
/** Matches delivery types and kinds of formats, which are words of the protocol. */
const TOKEN = /^[a-z][a-z0-9_]{0,63}$/
const knownChannels: ReadonlySet<string> = new Set(channels)

/** Builds a request of `get_products` for everything; some agents want an idempotency key even for reading. */
export function buildProductRequest(): JsonObject {
  const brief = 'Everything that is available'
  return { buying_mode: 'brief', brief, idempotency_key: randomUUID() }
}

/**
 * Summarizes the products of an agent: delivery types, channels, countries, and the kinds of formats they
 * accept. Undefined when there is no list of them.
 */
export function readProducts(part: ObjectReader): AgentProducts | undefined {
  if (!hasList(part, 'products')) return undefined
  const products = (part.value.products as unknown[]).slice(0, PRODUCTS_MAX).filter(isObject)
  const listed = (key: string) => products.flatMap(product => readItems(product[key]))
  const options = [...listed('format_options'), ...listed('formats')].filter(isObject)
  return {
    delivery_types: listDistinct(products, ({ delivery_type }) => readToken(delivery_type)),
    channels: listDistinct([...listed('channels'), ...listed('delivery_channels')], parseChannel),
    markets: listDistinct(listed('countries'), item => toAssignedCountry(clip(item, 8) ?? '')),
    format_kinds: listDistinct(options, ({ format_kind }) => readToken(format_kind)),
  }
}

/** Reads a word of the protocol; undefined if it is not one. */
export function readToken(value: unknown): string | undefined {
  return typeof value === 'string' && TOKEN.test(value) ? value : undefined
}

function parseChannel(value: unknown): string | undefined {
  return typeof value === 'string' && knownChannels.has(value) ? value : undefined
}

function readItems(list: unknown): unknown[] {
  return Array.isArray(list) ? list.slice(0, ITEMS_MAX) : []
}

function listDistinct<Item>(items: readonly Item[], read: (item: Item) => string | undefined) {
  return [...new Set(items.flatMap(item => read(item) ?? []))].sort().slice(0, ITEMS_MAX)
}
