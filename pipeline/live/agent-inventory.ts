import { randomUUID } from 'node:crypto'
import { wordsOf } from '../crawl/agent-blocks.ts'
import type { Asking } from '../crawl/agent-tasks.ts'
import { clip } from '../crawl/clip.ts'
import { isObject, type JsonObject } from '../crawl/part.ts'
import type { AgentTool } from '../model/documents.ts'
import { type Listed, listOf, notOffered, payloadOf } from './agent-task.ts'

/** Asks for whatever is for sale; some agents want a key even for a question. */
const openBrief = { buying_mode: 'brief', brief: 'Everything that is available' }

export async function listProducts(tools: readonly AgentTool[], asking: Asking): Promise<Listed> {
  const args = { ...openBrief, idempotency_key: randomUUID() }
  const answer = await payloadOf(tools, 'get_products', args, asking)
  if (answer === undefined) return notOffered
  if ('trouble' in answer) return answer
  const products = objectsOf(answer.payload.products)
  return listOf(products.slice(0, 200).map(productOf), products.length)
}

/** Field → characters that are kept of it. */
const productTexts = {
  product_id: 512,
  name: 512,
  description: 2_000,
  property_type: 512,
  property_name: 512,
  pricing_model: 512,
  currency: 16,
} as const
/** Field → items that are kept of it. */
const productLists = {
  format_options: 50,
  delivery_channels: 50,
  targeting_capabilities: 100,
} as const

function productOf(product: JsonObject): JsonObject {
  const kept: JsonObject = {}
  for (const [key, chars] of Object.entries(productTexts)) {
    const text = clip(product[key], chars)
    if (text !== undefined) kept[key] = text
  }
  if (typeof product.base_rate === 'number') kept.base_rate = product.base_rate
  for (const [key, most] of Object.entries(productLists)) {
    const list = product[key]
    if (Array.isArray(list)) kept[key] = list.slice(0, most).flatMap(shortened)
  }
  return kept
}

/** Texts, numbers, and objects of them; what lies deeper is nobody's business here. */
function shortened(item: unknown): unknown[] {
  if (typeof item === 'string') return [clip(item, 512) ?? '']
  if (typeof item === 'number' || typeof item === 'boolean') return [item]
  if (!isObject(item)) return []
  const kept: JsonObject = {}
  for (const [key, value] of Object.entries(item).slice(0, 20)) {
    const isPlain = typeof value === 'number' || typeof value === 'boolean'
    const short = isPlain ? value : clip(value, 512)
    if (short !== undefined && key !== '__proto__') kept[key] = short
  }
  return [kept]
}

/** What an agent says it may sell: a claim, whatever it says about its being verified. */
export async function listProperties(tools: readonly AgentTool[], asking: Asking): Promise<Listed> {
  const answer = await payloadOf(tools, 'list_authorized_properties', {}, asking)
  if (answer === undefined) return notOffered
  if ('trouble' in answer) return answer
  const { properties, publisher_domains: domains } = answer.payload
  const claimed = Array.isArray(properties)
    ? objectsOf(properties).map(propertyOf)
    : wordsOf(domains, 10_000).map(domain => ({ domain, identifier: domain, type: 'domain' }))
  return listOf(claimed)
}

function propertyOf(property: JsonObject): JsonObject {
  const kept: JsonObject = { type: clip(property.type ?? property.property_type, 64) ?? 'domain' }
  for (const [key, value, chars] of [
    ['identifier', property.identifier, 512],
    ['domain', property.domain ?? property.publisher_domain, 253],
    ['country', property.country, 64],
    ['description', property.description, 2_000],
  ] as const) {
    const text = clip(value, chars)
    if (text !== undefined) kept[key] = text
  }
  if (Array.isArray(property.tags)) kept.tags = wordsOf(property.tags, 20)
  return kept
}

function objectsOf(list: unknown): JsonObject[] {
  return Array.isArray(list) ? list.filter(isObject) : []
}
