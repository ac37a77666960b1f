import { z } from 'zod'
import { isoOf } from '../../pipeline/core/clock.ts'
import { parsePublisherDomain } from '../../pipeline/core/domain.ts'
import { findAgent, operatingOf } from '../../pipeline/index/points/agents.ts'
import { freshnessOf } from '../../pipeline/index/points/stored.ts'
import { ProductAuthorization, ProductIdentifiers } from '../../pipeline/model/answers-authority.ts'
import { selectionTypes } from '../../pipeline/model/documents.ts'
import type { ProductSelector } from '../../pipeline/resolve/product-selectors.ts'
import { Room } from '../bounds.ts'
import { operation } from '../operation.ts'
import { type JudgedSelector, ProductJudge } from '../product-judge.ts'
import { ok } from '../reply.ts'
import { explain, parseAgent, sidesTold, termsInBody, termsOf, termsTold } from '../sale-input.ts'
import type { Services } from '../services.ts'

const SELECTORS = 500
/** Publishers that the selectors of one question may name, each spelled out. */
const DOMAINS = 1_000

const texts = z.array(z.string().max(500)).max(10_000)

const Selector = z
  .looseObject({
    publisher_domain: z.string().max(500).nullish(),
    publisher_domains: z.array(z.string().max(500)).max(DOMAINS).optional(),
    selection_type: z.enum(selectionTypes).optional(),
    property_ids: texts.optional(),
    property_tags: texts.optional(),
    tags: texts.optional(),
    property_types: texts.optional(),
  })
  .meta({
    id: 'ProductSelector',
    description:
      'Properties of a publisher: with `selection_type`, or without, when ids mean `by_id`, tags mean ' +
      '`by_tag` and neither means `all`',
  })
type Selector = z.output<typeof Selector>

const Body = z
  .looseObject({
    agent_url: z.string().min(1).max(2_048),
    publisher_properties: z.array(Selector).max(SELECTORS),
    ...termsInBody,
    explain: z.boolean().optional(),
  })
  .refine(({ publisher_properties }) => domainCount(publisher_properties) <= DOMAINS, {
    error: `publisher_properties must not name more than ${DOMAINS} publishers in all`,
  })
type Body = z.output<typeof Body>

function domainCount(selectors: readonly Selector[]): number {
  return selectors.reduce((sum, { publisher_domains }) => sum + (publisher_domains?.length ?? 1), 0)
}

/** A selector for each publisher, in one dialect. */
function selectorsOf(selectors: readonly Selector[]): ProductSelector[] {
  return selectors.flatMap(selector => {
    const { publisher_domain, publisher_domains, property_ids, property_tags, tags } = selector
    const wanted = property_tags ?? tags
    const inferred = property_ids !== undefined ? 'by_id' : wanted !== undefined ? 'by_tag' : 'all'
    const domains = publisher_domains ?? [publisher_domain ?? undefined]
    return domains.map(
      (domain): ProductSelector => ({
        publisher_domain: domain && (parsePublisherDomain(domain) ?? domain),
        selection_type: selector.selection_type ?? inferred,
        property_ids: property_ids ?? [],
        property_tags: wanted ?? [],
        property_types: selector.property_types,
      }),
    )
  })
}

function judgeProduct(body: Body, { reader }: Services) {
  const agent = findAgent(reader, parseAgent('agent_url', body.agent_url))
  const terms = termsOf(body, reader.now())
  const judge = new ProductJudge(reader, agent.agent_url, operatingOf(reader, agent), terms)
  return {
    judge,
    judged: selectorsOf(body.publisher_properties).map(one => judge.judge(one)),
    freshness: freshnessOf(reader, 'agent', agent.agent_url),
  }
}

export const authorizeProduct = operation({
  id: 'validateProductAuthorization',
  method: 'POST',
  path: '/api/registry/validate/product-authorization',
  group: 'Lookups & Authorization',
  summary: 'Whether an agent may sell all that a product is sold on',
  description:
    'True when something is asked for and the agent may sell all of it. A grant of all properties ' +
    `counts as one of each. ${sidesTold}${termsTold}`,
  access: 'public',
  cache: 'none',
  query: z.object({ explain }),
  body: Body,
  reply: { 200: ProductAuthorization },
  errors: ['invalid_request', 'too_large', 'unsupported_media_type'],
  handle: ({ body, query, services }) => {
    const { judge, judged, freshness } = judgeProduct(body, services)
    const { requested, authorized, sides, confirmed } = judge.tally(judged)
    const room = new Room()
    const selectors = judged.map(one => ({
      publisher_domain: one.selector.publisher_domain ?? null,
      selection_type: one.selector.selection_type,
      requested_count: one.requested,
      authorized_count: one.authorized,
      ...(one.unauthorized && room.fit('unauthorized_items', one.unauthorized)),
      source: one.source,
      sides: one.sides,
    }))
    return ok({
      agent_url: body.agent_url,
      authorized: requested > 0 && authorized === requested,
      coverage_percentage: requested === 0 ? 0 : Math.round((100 * authorized) / requested),
      total_requested: requested,
      total_authorized: authorized,
      selectors,
      sides,
      confirmed,
      checked_at: isoOf(services.reader.now()),
      freshness,
      ...((body.explain || query.explain === 'true') &&
        room.fit('evidence', judge.evidence(judged))),
    })
  },
})

export const expandProduct = operation({
  id: 'expandProductIdentifiers',
  method: 'POST',
  path: '/api/registry/expand/product-identifiers',
  group: 'Lookups & Authorization',
  summary: 'The identifiers of what an agent may sell of a product',
  description: `Selector by selector, each sorted by type and name. ${termsTold}`,
  access: 'public',
  cache: 'none',
  query: z.object({ explain }),
  body: Body.safeExtend({
    limit: z.int().min(1).max(10_000).optional(),
    cursor: z
      .string()
      .regex(/^\d{1,9}$/, 'must be the next_cursor of an answer')
      .optional(),
  }),
  reply: { 200: ProductIdentifiers },
  errors: ['invalid_request', 'too_large', 'unsupported_media_type'],
  handle: ({ body, query, services }) => {
    const { judge, judged } = judgeProduct(body, services)
    const all = judged.flatMap(propertiesOf)
    const start = Number(body.cursor ?? 0)
    const room = new Room()
    const shown = room.take(
      all.slice(start, start + (body.limit ?? all.length)).map(withIdentifiers),
    )
    const properties = shown.map(({ property }) => property)
    const identifiers = shown.flatMap(one => one.identifiers)
    const end = start + shown.length
    return ok({
      agent_url: body.agent_url,
      properties,
      identifiers,
      property_count: properties.length,
      identifier_count: identifiers.length,
      ...(shown.length < all.length && {
        properties_total: all.length,
        properties_truncated: true,
      }),
      ...(end < all.length && { next_cursor: String(end) }),
      generated_at: isoOf(services.reader.now()),
      ...((body.explain || query.explain === 'true') &&
        room.fit('evidence', judge.evidence(judged))),
    })
  },
})

type Listed = ReturnType<typeof propertiesOf>[number]

function propertiesOf({ items }: JudgedSelector) {
  const authorized = items.flatMap(({ sales }) => sales).filter(one => one.verdict.authorized)
  return authorized
    .map(({ property }) => ({
      publisher_domain: property.publisher_domain,
      property_id: property.property_id ?? property.property_rid,
      property_rid: property.property_rid,
      property_name: property.name,
      property_type: property.property_type,
      identifiers: property.identifiers,
      tags: property.tags,
    }))
    .sort((a, b) => {
      const [one, other] = [a, b].map(row => `${row.property_type}\n${row.property_name}`)
      return one! < other! ? -1 : one === other ? 0 : 1
    })
}

function withIdentifiers(property: Listed) {
  const { property_id, publisher_domain } = property
  const identifiers = property.identifiers.map(({ type, value }) => ({
    type,
    value,
    property_id,
    publisher_domain,
  }))
  return { property, identifiers }
}
