import { z } from 'zod'
import { toIso } from '../../../pipeline/core/clock.ts'
import { refuse } from '../../../pipeline/core/errors.ts'
import { selectionTypes } from '../../../pipeline/model/documents/index.ts'
import {
  ProductAuthorization,
  ProductIdentifiers,
} from '../../../pipeline/model/responses/authority.ts'
import { findAgent, findOperatorSide } from '../../../pipeline/read/lookups/agents.ts'
import { findInventory, type Inventory } from '../../../pipeline/read/lookups/inventory.ts'
import { loadPastInventory } from '../../../pipeline/read/queries/past-states.ts'
import type { Reader } from '../../../pipeline/read/reader.ts'
import { unrecordedOperating } from '../../../pipeline/resolve/operator-side.ts'
import type { ProductSelector } from '../../../pipeline/resolve/product-selectors.ts'
import { asOf } from '../../inputs/as-of.ts'
import { PastedDomain, pageCursor } from '../../inputs/fields.ts'
import {
  explain,
  parseAgent,
  sidesSentence,
  termsInBody,
  termsSentence,
  toTerms,
} from '../../inputs/sale.ts'
import { findDemandedFreshness } from '../../live/deciding-freshness.ts'
import { defineOperation } from '../../operation/operation.ts'
import type { Services } from '../../operation/services.ts'
import {
  buildListPart,
  buildListPartEnd,
  LIST_PART_BYTES,
  takeListPart,
  toLongList,
} from '../../responses/list-parts.ts'
import { buildPageEnd } from '../../responses/lists.ts'
import { findMeant } from '../../responses/meant-agents.ts'
import { findMeantDomain } from '../../responses/meant-domain.ts'
import { findPast, type Past } from '../../responses/past.ts'
import {
  type FindInventory,
  type JudgedSelector,
  ProductJudge,
} from '../../responses/product-judge.ts'
import { replyOk } from '../../responses/reply.ts'
import { ResponseBudget } from '../../responses/response-budget.ts'

const SELECTORS_MAX = 500
/** Publishers that the selectors of one question may name, counting each. */
const DOMAINS = 1_000
/** Publishers that one question about the past may name: each is read from the history. */
const PAST_PUBLISHERS_MAX = 50

const texts = z.array(z.string().max(500)).max(10_000)

/** Strict, like the body: a restriction that is not understood would widen the answer. */
const Selector = z
  .strictObject({
    publisher_domain: PastedDomain.nullish().describe(
      'Domain of the publisher whose properties are selected',
    ),
    publisher_domains: z
      .array(PastedDomain)
      .max(DOMAINS)
      .optional()
      .describe('Domains of several publishers, instead of `publisher_domain`'),
    selection_type: z
      .enum(selectionTypes)
      .optional()
      .describe('How properties are selected; by default inferred from the other fields'),
    property_ids: texts.optional().describe('IDs of the properties, for `by_id`'),
    property_tags: texts
      .optional()
      .describe('Tags of the properties, for `by_tag`; one match is enough'),
    tags: texts.optional().describe('Another name for `property_tags`'),
    property_types: texts.optional().describe('Types of the properties; all by default'),
  })
  .superRefine((selector, context) => {
    const { selection_type, property_ids, property_tags, tags } = selector
    const lacks = (needed: string, field: string, given?: readonly string[]) => {
      if (selection_type !== needed || (given?.length ?? 0) > 0) return
      const message = `must have a value, since selection_type is ${needed}`
      context.addIssue({ code: 'custom', path: [field], message })
    }
    lacks('by_id', 'property_ids', property_ids)
    lacks('by_tag', 'property_tags', property_tags ?? tags)
  })
  .meta({
    id: 'ProductSelector',
    description:
      'Properties of a publisher; without `selection_type`, IDs mean `by_id`, tags mean `by_tag`, and ' +
      'neither means `all`',
  })
type Selector = z.output<typeof Selector>

const Body = z
  .strictObject({
    agent_url: z.string().min(1).max(2_048).describe('URL at which the agent is called'),
    publisher_properties: z
      .array(Selector)
      .max(SELECTORS_MAX)
      .describe('Properties on which the product is sold'),
    ...termsInBody,
    explain: z
      .boolean()
      .optional()
      .describe('Adds `evidence`: the files, entries and rules behind the verdict'),
    evidence_cursor: pageCursor.describe('`evidence_next_cursor` of the previous page'),
    declared_cursor: pageCursor.describe('`declared_next_cursor` of a step of the evidence'),
  })
  .refine(({ publisher_properties }) => countDomains(publisher_properties) <= DOMAINS, {
    error: `publisher_properties must not name more than ${DOMAINS} publishers in total`,
  })
type Body = z.output<typeof Body>

function countDomains(selectors: readonly Selector[]): number {
  return selectors.reduce((sum, { publisher_domains }) => sum + (publisher_domains?.length ?? 1), 0)
}

/** Parses the selectors of each publisher, in one dialect. */
function parseSelectors(selectors: readonly Selector[]): ProductSelector[] {
  return selectors.flatMap(selector => {
    const { publisher_domain, publisher_domains, property_ids, property_tags, tags } = selector
    const wanted = property_tags ?? tags
    const inferred = property_ids !== undefined ? 'by_id' : wanted !== undefined ? 'by_tag' : 'all'
    const domains = publisher_domains ?? [publisher_domain ?? undefined]
    return domains.map(
      (domain): ProductSelector => ({
        publisher_domain: domain,
        selection_type: selector.selection_type ?? inferred,
        property_ids: property_ids ?? [],
        property_tags: wanted ?? [],
        property_types: selector.property_types,
      }),
    )
  })
}

/** Judges a product by what is granted now, or was at the time that `as_of` names. */
async function judgeProduct(body: Body, as_of: string | undefined, { reader }: Services) {
  const past = as_of === undefined ? undefined : await findPast(reader, as_of)
  const agent = findAgent(reader, parseAgent('agent_url', body.agent_url))
  const selectors = parseSelectors(body.publisher_properties)
  const terms = toTerms(body, past?.at ?? reader.now())
  const judge = past
    ? new ProductJudge(
        reader,
        agent.agent_url,
        unrecordedOperating,
        terms,
        await loadPastInventories(past, selectors),
      )
    : new ProductJudge(reader, agent.agent_url, findOperatorSide(reader, agent), terms)
  return { past, judge, judged: selectors.map(selector => judge.judge(selector)) }
}

/** Loads what the publishers of a product granted then. */
async function loadPastInventories(
  { snapshot, at }: Past,
  selectors: readonly ProductSelector[],
): Promise<FindInventory> {
  const domains = new Set(selectors.flatMap(({ publisher_domain }) => publisher_domain ?? []))
  if (domains.size > PAST_PUBLISHERS_MAX) {
    refuse(
      'invalid_request',
      `as_of: cannot be combined with more than ${PAST_PUBLISHERS_MAX} publishers`,
    )
  }
  const inventories = new Map<string, Inventory | undefined>()
  for (const domain of domains) {
    inventories.set(domain, await loadPastInventory(snapshot, domain, at))
  }
  return domain => inventories.get(domain)
}

export const authorizeProduct = defineOperation({
  id: 'validateProductAuthorization',
  method: 'POST',
  path: '/api/registry/validate/product-authorization',
  group: 'Lookups & Authorization',
  summary: 'Check whether an agent can sell a product',
  description:
    '`authorized` is true if the agent can sell every requested property, and there is at least one. A grant of all properties ' +
    `counts as a grant of each one. ${sidesSentence}${termsSentence} With \`as_of\`, the product may have at most ${PAST_PUBLISHERS_MAX} publishers.`,
  access: 'public',
  cache: 'none',
  query: z.object({ explain, as_of: asOf }),
  body: Body.safeExtend({
    unauthorized_items_cursor: pageCursor.describe(
      '`unauthorized_items_next_cursor` of the previous page',
    ),
  }),
  reply: { 200: ProductAuthorization },
  errors: ['invalid_request', 'too_large', 'unsupported_media_type'],
  handle: async ({ body, query, caller, services }) => {
    const { past, judge, judged } = await judgeProduct(body, query.as_of, services)
    const { requested, authorized, ...tally } = judge.tally(judged)
    const unauthorized = cutUnauthorized(judged, body.unauthorized_items_cursor)
    const selectors = judged.map((judgement, index) => ({
      publisher_domain: judgement.selector.publisher_domain ?? null,
      selection_type: judgement.selector.selection_type,
      requested_count: judgement.requested,
      authorized_count: judgement.authorized,
      ...unauthorized.lists[index],
      source: judgement.source,
      ...(judgement.needs && { needs: judgement.needs }),
      sides: judgement.sides,
      ...findMeantPublisher(services.reader, judgement),
    }))
    return replyOk({
      agent_url: body.agent_url,
      authorized: requested > 0 && authorized === requested,
      coverage_percentage: requested === 0 ? 0 : Math.round((100 * authorized) / requested),
      total_requested: requested,
      total_authorized: authorized,
      selectors,
      ...unauthorized.end,
      ...tally,
      ...(await findMeant(services.reader, body.agent_url)),
      checked_at: toIso(services.reader.now()),
      ...(past && { as_of: toIso(past.at) }),
      freshness: findDemandedFreshness(services, judge.decidedBy(judged), caller),
      ...((body.explain || query.explain) &&
        past === undefined &&
        buildListPart(
          'evidence',
          judge.evidence(judged, body.declared_cursor),
          body.evidence_cursor,
        )),
    })
  },
})

/** Finds the publisher without `www.` that a selector probably meant, if the registry does not know the one it names. */
function findMeantPublisher(reader: Reader, { selector }: JudgedSelector) {
  const { publisher_domain: domain } = selector
  if (domain === undefined || findInventory(reader, domain)) return {}
  return findMeantDomain(domain, meant => findInventory(reader, meant) !== undefined)
}

/** Cuts one page out of everything that the selectors list. */
function cutUnauthorized(judged: readonly JudgedSelector[], cursor: string | undefined) {
  const name = 'unauthorized_items'
  const all = judged.flatMap(({ unauthorized = [] }) => unauthorized)
  const start = Number(cursor ?? 0)
  const shown = takeListPart(toLongList(all), start).length
  let passed = 0
  const lists = judged.map(({ unauthorized }) => {
    if (unauthorized === undefined) return {}
    const from = Math.max(0, start - passed)
    const items = unauthorized.slice(from, Math.max(from, start + shown - passed))
    passed += unauthorized.length
    const { [`${name}_next_cursor`]: _, ...cut } = buildListPartEnd(
      name,
      from,
      items.length,
      unauthorized.length,
    )
    return { [name]: items, ...cut }
  })
  const { [`${name}_next_cursor`]: next } = buildListPartEnd(name, start, shown, all.length)
  return { lists, end: next === undefined ? {} : { [`${name}_next_cursor`]: next } }
}

export const expandProduct = defineOperation({
  id: 'expandProductIdentifiers',
  method: 'POST',
  path: '/api/registry/expand/product-identifiers',
  group: 'Lookups & Authorization',
  summary: 'Expand a product to the identifiers an agent can sell ads on',
  description: `Returns one list: the properties of each selector in turn, sorted by type and name. A selector for which the agent is not authorized adds none. ${termsSentence}`,
  access: 'public',
  cache: 'none',
  query: z.object({ explain, as_of: asOf }),
  body: Body.safeExtend({
    limit: z.int().min(1).max(10_000).optional().describe('Properties per page; all by default'),
    cursor: pageCursor.describe('`next_cursor` of the previous page'),
  }),
  reply: { 200: ProductIdentifiers },
  errors: ['invalid_request', 'too_large', 'unsupported_media_type'],
  handle: async ({ body, query, services }) => {
    const { past, judge, judged } = await judgeProduct(body, query.as_of, services)
    const all = judged.flatMap(listProperties)
    const start = Number(body.cursor ?? 0)
    const isExplained = (body.explain || query.explain) && past === undefined
    const room = new ResponseBudget(isExplained ? LIST_PART_BYTES : undefined)
    const shown = room.take(
      all.slice(start, start + (body.limit ?? all.length)).map(withIdentifiers),
    )
    const properties = shown.map(({ property }) => property)
    const identifiers = shown.flatMap(item => item.identifiers)
    const { needs } = judge.tally(judged)
    return replyOk({
      agent_url: body.agent_url,
      properties,
      identifiers,
      property_count: properties.length,
      identifier_count: identifiers.length,
      ...(needs && { needs }),
      ...(shown.length < all.length && {
        properties_total: all.length,
        properties_truncated: true,
      }),
      ...buildPageEnd(start, shown.length, all.length),
      ...(await findMeant(services.reader, body.agent_url)),
      ...(past && { as_of: toIso(past.at) }),
      generated_at: toIso(services.reader.now()),
      ...(isExplained &&
        buildListPart(
          'evidence',
          judge.evidence(judged, body.declared_cursor),
          body.evidence_cursor,
        )),
    })
  },
})

type Listed = ReturnType<typeof listProperties>[number]

function listProperties({ items }: JudgedSelector) {
  const authorized = items.flatMap(({ sales }) => sales).filter(sale => sale.verdict.authorized)
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
      const first = `${a.property_type}\n${a.property_name}`
      const other = `${b.property_type}\n${b.property_name}`
      return first < other ? -1 : first === other ? 0 : 1
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
