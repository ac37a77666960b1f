import { z } from 'zod'
import { FoundBrands, SearchAnswer } from '../../pipeline/model/responses/search.ts'
import { findBrands, searchEverything } from '../../pipeline/read/queries/search.ts'
import { createWholeNumber } from '../inputs/fields.ts'
import { defineOperation } from '../operation/operation.ts'
import { buildSeqHeader, getSearch, RequiredText } from '../responses/lists.ts'
import { replyOk } from '../responses/reply.ts'

/** Results of each kind in one search. */
const RESULTS_PER_KIND = 5

const order =
  'Exact names come first, then those that start with the text, then those that contain it. If few names match, words of four or more characters may contain a typo. Case and accents are ignored.'

export const searchRegistry = defineOperation({
  id: 'search',
  method: 'GET',
  path: '/api/search',
  group: 'Search',
  summary: 'Find brands, publishers, properties and agents by name, domain or identifier',
  description: `Returns the ${RESULTS_PER_KIND} best matches of each kind. Agents match by name, URL or member. ${order}`,
  access: 'public',
  cache: 'list',
  queriesSnapshot: true,
  query: z.object({ q: RequiredText }),
  reply: { 200: SearchAnswer },
  responseHeaders: ['X-Registry-Seq'],
  errors: ['invalid_request', 'unavailable'],
  handle: async ({ query: { q }, services: { reader } }) => {
    const index = getSearch(reader)
    if (index === undefined) return replyOk(nothing, buildSeqHeader(index))
    const found = await searchEverything(reader, index, q, RESULTS_PER_KIND)
    const members = Object.entries(found).map(([name, items]) => `"${name}":[${items.join()}]`)
    return replyOk(`{${members.join()}}`, buildSeqHeader(index))
  },
})

const nothing: SearchAnswer = { brands: [], publishers: [], properties: [], agents: [] }

export const findBrandsByName = defineOperation({
  id: 'findBrands',
  method: 'GET',
  path: '/api/brands/find',
  group: 'Brand Resolution',
  summary: 'Find brands by name or domain',
  description: order,
  access: 'public',
  cache: 'list',
  queriesSnapshot: true,
  query: z.object({
    q: RequiredText,
    limit: createWholeNumber({
      description: 'Maximum number of brands',
      min: 0,
      max: 50,
      default: 10,
      clamp: true,
    }),
  }),
  reply: { 200: FoundBrands },
  responseHeaders: ['X-Registry-Seq'],
  errors: ['invalid_request', 'unavailable'],
  handle: async ({ query: { q, limit }, services: { reader } }) => {
    const index = getSearch(reader)
    const items = index === undefined ? [] : await findBrands(index, q, limit)
    return replyOk(`{"results":[${items.join()}]}`, buildSeqHeader(index))
  },
})
