import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { toIso } from '../../../pipeline/core/clock.ts'
import {
  buildOperatorFile,
  publishFiles,
  requestWithQuery,
} from '../../support/fixtures/operator-files.ts'
import { openRegistry, type TestRegistry } from '../../support/registry/app.ts'
import { START } from '../../support/worlds/clock.ts'

const RUNS = 40
const HOUR = 3_600_000
const relationships = ['owned', 'direct', 'delegated', 'ad_network'] as const
const delegations = ['direct', 'delegated', 'ad_network'] as const
const places = ['top', 'foot'] as const
const countries = ['GB', 'FR'] as const
const shows = ['early', 'late'] as const
const tags = ['x', 'y'] as const

let registry: TestRegistry
let runs = 0

beforeAll(async () => {
  registry = await openRegistry()
})

afterAll(() => registry.close())

/** Undefined once in `freq` times. */
const maybe = <Value>(arbitrary: fc.Arbitrary<Value>, freq = 2) =>
  fc.option(arbitrary, { nil: undefined, freq })
/** Undefined three times in four. */
const sometimes = <Value>(arbitrary: fc.Arbitrary<Value>) =>
  fc.oneof(
    { weight: 3, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: arbitrary as fc.Arbitrary<Value | undefined> },
  )
const some = <Value>(...values: Value[]) => fc.subarray(values, { minLength: 1 })

const property = fc.record({ tags: fc.subarray([...tags]) })
const selection = fc.oneof(
  fc.record({ by: fc.constant('ids' as const), of: some(0, 1, 2) }),
  fc.record({ by: fc.constant('tags' as const), of: some(...tags) }),
  fc.constant({ by: 'all' as const, of: [] }),
)
const entry = fc.record({
  agent: fc.constantFrom(0, 0, 1),
  selection,
  delegation: maybe(fc.constantFrom(...delegations), 3),
  countries: sometimes(some(...countries)),
  placements: sometimes(some(...places)),
  collections: sometimes(some(...shows)),
  /** Hours from now at which the window opens and closes. */
  opens: sometimes(fc.constantFrom(-5, 5)),
  closes: sometimes(fc.constantFrom(-3, 7)),
})
const world = fc.record({
  properties: fc.array(property, { minLength: 2, maxLength: 3 }),
  entries: fc.array(entry, { minLength: 1, maxLength: 4, size: 'max' }),
  /**
   * Relationships that the operator's brand.json declares for each property; undefined without such a
   * file.
   */
  declared: maybe(
    fc.record({
      names: fc.boolean(),
      of: fc.array(fc.tuple(fc.constantFrom(0, 0, 1, 2), fc.constantFrom(...relationships)), {
        minLength: 1,
        maxLength: 5,
        size: 'max',
      }),
    }),
    4,
  ),
  isItself: fc.boolean(),
  /** The collections that `top` is on; undefined where its file does not say. */
  topIn: maybe(fc.subarray([...shows])),
})
const question = fc.record({
  agent: fc.constantFrom(0, 0, 1),
  property: fc.constantFrom<number>(0, 0, 1, 1, 2),
  delegation: sometimes(fc.constantFrom(...delegations)),
  country: maybe(fc.constantFrom(...countries)),
  placement: sometimes(fc.constantFrom(...places)),
  collections: sometimes(some(...shows)),
  after: sometimes(fc.constantFrom(-6, -4, 0, 6, 8)),
})

type World = typeof world extends fc.Arbitrary<infer Value> ? Value : never
type Question = typeof question extends fc.Arbitrary<infer Value> ? Value : never
type Named = World & { publisher: string; agents: [string, string]; operator: string }

/** Tells whether a placement is on a property: `top` is on the first one alone, `foot` on all. */
const isOn = (place: string, index: number) => place === 'foot' || index === 0
const isIn = ({ topIn }: World, { placement, collections }: Question) => {
  if (placement === 'foot' || topIn === undefined) return true
  return collections
    ? collections.every(collection => topIn.includes(collection))
    : topIn.length > 0
}

function buildFiles({ publisher, agents, operator, ...world }: Named): Record<string, object> {
  const id = (index: number) => `p${index}`
  const now = registry.clock.now()
  const adagents = {
    properties: world.properties.map((property, index) => ({
      property_type: 'website',
      name: id(index),
      property_id: id(index),
      tags: property.tags,
      identifiers: [{ type: 'domain', value: `${id(index)}.${publisher}` }],
    })),
    placements: [
      {
        placement_id: 'top',
        name: 'Top',
        property_ids: ['p0'],
        ...(world.topIn && { collection_ids: world.topIn }),
      },
      { placement_id: 'foot', name: 'Foot', property_ids: world.properties.map((_, i) => id(i)) },
    ],
    authorized_agents: world.entries.map(entry => ({
      url: agents[entry.agent],
      authorized_for: 'Sales',
      ...(entry.selection.by === 'ids' && {
        authorization_type: 'property_ids',
        property_ids: (entry.selection.of as number[]).map(id),
      }),
      ...(entry.selection.by === 'tags' && {
        authorization_type: 'property_tags',
        property_tags: entry.selection.of,
      }),
      ...(entry.selection.by === 'all' && {
        authorization_type: 'publisher_properties',
        publisher_properties: [{ publisher_domain: publisher, selection_type: 'all' }],
      }),
      ...(entry.delegation && { delegation_type: entry.delegation }),
      ...(entry.countries && { countries: entry.countries }),
      ...(entry.placements && { placement_ids: entry.placements }),
      ...(entry.collections && {
        collections: [{ publisher_domain: publisher, collection_ids: entry.collections }],
      }),
      ...(entry.opens !== undefined && { effective_from: toIso(now + entry.opens * HOUR) }),
      ...(entry.closes !== undefined && { effective_until: toIso(now + entry.closes * HOUR) }),
    })),
  }
  const { declared } = world
  const brand = declared && {
    [`brand ${operator}`]: buildOperatorFile(
      declared.names ? agents : [],
      declared.of.map(([index, relationship]) => ({
        identifier: `${id(index)}.${publisher}`,
        relationship,
      })),
    ),
  }
  return { [publisher]: adagents, ...brand }
}

interface Answer {
  authorized: boolean
  confirmed: boolean
  sides: { publisher: string; operator: string }
}

/** Answers by reading the two files as they are written, one entry after the other. */
function answerNaively(world: Named, asked: Question): Answer {
  const { index, at } = { index: asked.property, at: asked.after ?? 0 }
  const property = world.properties[index]
  if (property === undefined) return answer('unknown', 'unknown')
  const found: Answer[] = []
  let isUnstated = false
  for (const entry of world.entries) {
    if (entry.agent !== asked.agent) continue
    const { by, of } = entry.selection
    if (by === 'ids' && !(of as number[]).includes(index)) continue
    if (by === 'tags' && !(of as string[]).some(tag => property.tags.includes(tag as 'x'))) continue
    if (entry.opens !== undefined && at < entry.opens) continue
    if (entry.closes !== undefined && at > entry.closes) continue
    if (entry.countries && !(asked.country && entry.countries.includes(asked.country))) continue
    const within = entry.collections
    if (within && !asked.collections?.every(show => within.includes(show))) continue
    if (asked.placement) {
      if (!isIn(world, asked)) continue
      if (!isOn(asked.placement, index)) continue
      if (entry.placements && !entry.placements.includes(asked.placement)) continue
    } else if (entry.placements) continue
    if (asked.delegation && entry.delegation === undefined) {
      isUnstated = true
      continue
    }
    if (asked.delegation && entry.delegation !== asked.delegation) continue
    found.push(answer('match', answerNaivelyForOperator(world, index, entry.delegation)))
  }
  const order = ['match', 'unknown', 'mismatch']
  found.sort((a, b) => order.indexOf(a.sides.operator) - order.indexOf(b.sides.operator))
  return found[0] ?? answer(isUnstated ? 'unknown' : 'mismatch', '?')
}

function answerNaivelyForOperator(
  world: Named,
  index: number,
  delegation: string | undefined,
): string {
  if (world.declared === undefined) return 'unknown'
  const said = world.declared.of.flatMap(([of, relationship]) =>
    of === index ? [relationship] : [],
  )
  if (said.length === 0) return 'unknown'
  const isOwner = world.isItself
  if (said.every(relationship => relationship === 'owned') && !isOwner) return 'mismatch'
  if (delegation === undefined) return 'unknown'
  if (said.some(relationship => relationship === delegation)) return 'match'
  return isOwner && said.includes('owned') ? 'match' : 'mismatch'
}

function answer(publisher: string, operator: string): Answer {
  const authorized = publisher === 'match' && operator !== 'mismatch'
  const confirmed = publisher === 'match' && operator === 'match'
  return { authorized, confirmed, sides: { publisher, operator } }
}

function nameWorld(world: World): Named {
  const n = runs++
  const publisher = `pub${n}.example`
  const operator = world.isItself ? publisher : `op${n}.example`
  const agents: [string, string] = [`https://mcp.${operator}/a`, `https://mcp.${operator}/b`]
  return { ...world, publisher, operator, agents }
}

function buildTerms(asked: Question, now: number) {
  const { delegation, country, placement, collections, after } = asked
  return {
    ...(delegation && { delegation_type: delegation }),
    ...(country && { country }),
    ...(after !== undefined && { at: toIso(now + after * HOUR) }),
    ...(placement && { placement_ids: [placement] }),
    ...(collections && { collection_ids: collections }),
  }
}

test(`the answer equals a naive reading of both files, and its evidence agrees`, async () => {
  const check = async (drawn: World, questions: Question[]) => {
    const world = nameWorld(drawn)
    const now = registry.clock.now()
    await publishFiles(registry, buildFiles(world))
    registry.clock.tick(now - registry.clock.now())
    for (const [i, asked] of questions.entries()) {
      const terms = buildTerms(asked, now)
      const agent_url = world.agents[asked.agent]!
      const answers = (
        await requestWithQuery(registry, '/api/registry/validate/property-authorization', {
          agent_url,
          identifier_type: 'domain',
          explain: 'true',
          ...terms,
          identifier_value: `p${asked.property}.${world.publisher}`,
        })
      ).json()
      const expected = answerNaively(world, asked)
      expect(answers.authorized).toBe(expected.authorized)
      expect(answers.confirmed).toBe(expected.confirmed)
      expect(answers.sides.publisher).toBe(expected.sides.publisher)
      if (expected.sides.operator !== '?')
        expect(answers.sides.operator).toBe(expected.sides.operator)
      expect(readEvidence(answers.evidence)).toEqual({
        authorized: answers.authorized,
        confirmed: answers.confirmed,
        sides: answers.sides,
      })
      if (i < 3) await compareWithProduct(world, asked, terms)
    }
  }
  const several = fc.array(question, { minLength: 20, maxLength: 30 })
  await fc.assert(fc.asyncProperty(world, several, check), { numRuns: RUNS })
  registry.clock.tick(START - registry.clock.now())
  expect(await registry.verify()).toEqual([])
})

/** Derives the answer from the evidence alone. */
function readEvidence(evidence: { side: string; says: string }[]): Answer {
  const of = (side: string) => evidence.filter(step => step.side === side).map(step => step.says)
  const publisher = of('publisher')
  const best = ['match', 'unknown', 'mismatch'].find(says => publisher.includes(says))!
  return answer(best, of('operator').at(-1) ?? 'unknown')
}

/** Checks that a product of all properties gets the same answer as its properties one by one. */
async function compareWithProduct(world: Named, asked: Question, terms: object): Promise<void> {
  const payload = {
    agent_url: world.agents[asked.agent],
    ...terms,
    publisher_properties: [{ publisher_domain: world.publisher, selection_type: 'all' }],
  }
  const [product, expanded] = await Promise.all(
    ['validate/product-authorization', 'expand/product-identifiers'].map(async name =>
      (await registry.app.inject({ method: 'POST', url: `/api/registry/${name}`, payload })).json(),
    ),
  )
  const alone = world.properties
    .map((_, index) => index)
    .filter(property => answerNaively(world, { ...asked, property }).authorized)
  expect(product).toMatchObject({
    total_requested: world.properties.length,
    total_authorized: alone.length,
    authorized: alone.length === world.properties.length,
  })
  expect(
    expanded.properties.map(({ property_id }: { property_id: string }) => property_id),
  ).toEqual(alone.map(index => `p${index}`))
}
