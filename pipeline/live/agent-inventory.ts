import { readTokens } from '../crawl/agent-blocks.ts'
import { buildProductRequest } from '../crawl/agent-products.ts'
import type { TaskContext } from '../crawl/call-agent-tasks.ts'
import type { AgentTool } from '../model/documents/index.ts'
import { clip } from '../parse/clip.ts'
import { isObject, type JsonObject } from '../parse/object-reader.ts'
import { fetchPayload, type Listed, notOffered, toAgentList } from './agent-task.ts'

const PRODUCTS_MAX = 200
const DOMAINS_MAX = 10_000
const TAGS_MAX = 20
/** Members of an object inside a product, and characters of a text there. */
const MEMBERS_MAX = 20
const TEXT_CHARS_MAX = 512

/**
 * Lists the products that an agent offers for an unrestricted brief, each cut to the fields that an answer
 * shows.
 */
export async function listProducts(tools: readonly AgentTool[], ctx: TaskContext): Promise<Listed> {
  const answer = await fetchPayload(tools, 'get_products', buildProductRequest(), ctx)
  if (answer === undefined) return notOffered
  if ('failure' in answer) return answer
  const products = listObjects(answer.payload.products)
  return toAgentList(products.slice(0, PRODUCTS_MAX).map(toProduct), products.length)
}

/** Text fields of a product → characters that are shown. */
const productTexts = {
  product_id: 512,
  name: 512,
  description: 2_000,
  property_type: 512,
  property_name: 512,
  pricing_model: 512,
  currency: 16,
} as const
/** Lists of a product → items that are shown. */
const productLists = {
  format_options: 50,
  delivery_channels: 50,
  targeting_capabilities: 100,
} as const

function toProduct(product: JsonObject): JsonObject {
  const copy: JsonObject = {}
  for (const [key, chars] of Object.entries(productTexts)) {
    const text = clip(product[key], chars)
    if (text !== undefined) copy[key] = text
  }
  if (typeof product.base_rate === 'number') copy.base_rate = product.base_rate
  for (const [key, max] of Object.entries(productLists)) {
    const list = product[key]
    if (Array.isArray(list)) copy[key] = list.slice(0, max).flatMap(shorten)
  }
  return copy
}

/** Keeps texts, numbers and flat objects; deeper values are dropped. */
function shorten(item: unknown): unknown[] {
  if (typeof item === 'string') return [clip(item, TEXT_CHARS_MAX) ?? '']
  if (typeof item === 'number' || typeof item === 'boolean') return [item]
  if (!isObject(item)) return []
  const copy: JsonObject = {}
  for (const [key, value] of Object.entries(item).slice(0, MEMBERS_MAX)) {
    const isPlain = typeof value === 'number' || typeof value === 'boolean'
    const short = isPlain ? value : clip(value, TEXT_CHARS_MAX)
    if (short !== undefined && key !== '__proto__') copy[key] = short
  }
  return [copy]
}

/** Lists the properties an agent claims to sell; its claims of being verified are not read. */
export async function listProperties(
  tools: readonly AgentTool[],
  ctx: TaskContext,
): Promise<Listed> {
  const answer = await fetchPayload(tools, 'list_authorized_properties', {}, ctx)
  if (answer === undefined) return notOffered
  if ('failure' in answer) return answer
  const { properties, publisher_domains: domains } = answer.payload
  const claimed = Array.isArray(properties)
    ? listObjects(properties).map(toProperty)
    : readTokens(domains, DOMAINS_MAX).map(domain => ({
        domain,
        identifier: domain,
        type: 'domain',
      }))
  return toAgentList(claimed)
}

function toProperty(property: JsonObject): JsonObject {
  const copy: JsonObject = { type: clip(property.type ?? property.property_type, 64) ?? 'domain' }
  for (const [key, value, chars] of [
    ['identifier', property.identifier, 512],
    ['domain', property.domain ?? property.publisher_domain, 253],
    ['country', property.country, 64],
    ['description', property.description, 2_000],
  ] as const) {
    const text = clip(value, chars)
    if (text !== undefined) copy[key] = text
  }
  if (Array.isArray(property.tags)) copy.tags = readTokens(property.tags, TAGS_MAX)
  return copy
}

function listObjects(list: unknown): JsonObject[] {
  return Array.isArray(list) ? list.filter(isObject) : []
}
