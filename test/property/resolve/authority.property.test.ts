import fc from 'fast-check'
import { expect, test } from 'vitest'
import { toIso } from '../../../pipeline/core/clock.ts'
import { publishFiles, requestWithQuery } from '../../support/fixtures/operator-files.ts'
import { openRegistry } from '../../support/registry/app.ts'
import { openForAll } from '../../support/runner/open-for-all.ts'
import {
  buildSaleFiles,
  countries,
  delegations,
  HOUR,
  maybe,
  type NamedSales,
  nameSales,
  places,
  type SaleWorld,
  saleWorld,
  shows,
  some,
  sometimes,
} from '../../support/worlds/arbitrary-sales.ts'
import { START } from '../../support/worlds/clock.ts'

const RUNS = 40

const registry = openForAll(openRegistry)
let runs = 0

const question = fc.record({
  agent: fc.constantFrom(0, 0, 1),
  property: fc.constantFrom<number>(0, 0, 1, 1, 2),
  delegation: sometimes(fc.constantFrom(...delegations)),
  country: maybe(fc.constantFrom(...countries)),
  placement: sometimes(fc.constantFrom(...places)),
  collections: sometimes(some(...shows)),
  after: sometimes(fc.constantFrom(-6, -4, 0, 6, 8)),
})

type Question = typeof question extends fc.Arbitrary<infer Value> ? Value : never

/** Tells whether a placement is on a property: `top` is on the first one alone, `foot` on all. */
const isOn = (place: string, index: number) => place === 'foot' || index === 0
const isIn = ({ topIn }: SaleWorld, { placement, collections }: Question) => {
  if (placement === 'foot' || topIn === undefined) return true
  return collections
    ? collections.every(collection => topIn.includes(collection))
    : topIn.length > 0
}

interface Answer {
  authorized: boolean
  confirmed: boolean
  sides: { publisher: string; operator: string }
}

/** Answers by reading the two files as they are written, one entry after the other. */
function answerNaively(world: NamedSales, asked: Question): Answer {
  const { index, at } = { index: asked.property, at: asked.after ?? 0 }
  const property = world.properties[index]
  if (property === undefined) return answer('unknown', 'unknown')
  const found: Answer[] = []
  let isUnstated = false
  for (const entry of world.entries) {
    if (entry.agent !== asked.agent) continue
    const { by, of } = entry.selection
    if (by === 'signals') continue
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
  world: NamedSales,
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
  const check = async (drawn: SaleWorld, questions: Question[]) => {
    const world = nameSales(drawn, runs++)
    const now = registry.clock.now()
    await publishFiles(registry, buildSaleFiles(world, now))
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
  await fc.assert(fc.asyncProperty(saleWorld, several, check), { numRuns: RUNS })
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
async function compareWithProduct(
  world: NamedSales,
  asked: Question,
  terms: object,
): Promise<void> {
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
