import { z } from 'zod'
import { findBrands, searchEverything } from '../../pipeline/index/queries/search.ts'
import { FoundBrands, SearchAnswer } from '../../pipeline/model/answers-search.ts'
import { whole } from '../fields.ts'
import { RequiredText, searchOf, seqHeader } from '../lists.ts'
import { operation } from '../operation.ts'
import { ok } from '../reply.ts'

/** How many of each kind one search shows. */
const OF_EACH = 5

const order =
  'What is called so comes first, then what begins so, then what contains it; then, if nothing is ' +
  'called so and too little contains it, what it may mean with one character more, less or other, or two neighbours changed, in ' +
  'words of four characters or more; within each the order of the list. Case, accents and other marks make no difference, and ' +
  'a domain is found in both its forms. `X-Registry-Seq` is the commit that is searched.'

export const searchRegistry = operation({
  id: 'search',
  method: 'GET',
  path: '/api/search',
  group: 'Search',
  summary: 'Find brands, publishers and properties by name, domain or identifier',
  description: `The ${OF_EACH} best matches of each kind. ${order}`,
  access: 'public',
  cache: 'list',
  query: z.object({ q: RequiredText }),
  reply: { 200: SearchAnswer },
  errors: ['invalid_request', 'unavailable'],
  handle: async ({ query: { q }, services: { reader } }) => {
    const index = searchOf(reader)
    if (index === undefined) return ok(nothing, seqHeader(index))
    const found = await searchEverything(reader, index, q, OF_EACH)
    const members = Object.entries(found).map(([name, items]) => `"${name}":[${items.join()}]`)
    return ok(`{${members.join()}}`, seqHeader(index))
  },
})

const nothing: SearchAnswer = { brands: [], publishers: [], properties: [] }

export const findBrandsByName = operation({
  id: 'findBrands',
  method: 'GET',
  path: '/api/brands/find',
  group: 'Brand Resolution',
  summary: 'Find brands by name or domain',
  description: order,
  access: 'public',
  cache: 'list',
  query: z.object({
    q: RequiredText,
    limit: whole({ min: 0, max: 50, default: 10, clamp: true }),
  }),
  reply: { 200: FoundBrands },
  errors: ['invalid_request', 'unavailable'],
  handle: async ({ query: { q, limit }, services: { reader } }) => {
    const index = searchOf(reader)
    const items = index === undefined ? [] : await findBrands(index, q, limit)
    return ok(`{"results":[${items.join()}]}`, seqHeader(index))
  },
})
