import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { PropertyAuthorization } from '../../../pipeline/model/responses/authority.ts'
import { compareGrantedRows } from '../../support/checks/granted-rows.ts'
import { publishFiles, requestWithQuery } from '../../support/fixtures/operator-files.ts'
import { openRegistry, type TestRegistry } from '../../support/registry/app.ts'
import {
  buildSaleFiles,
  countries,
  type NamedSales,
  nameSales,
  places,
  saleWorld,
  shows,
} from '../../support/worlds/arbitrary-sales.ts'

const RUNS = 12

let registry: TestRegistry
let runs = 0
let rows = 0

beforeAll(async () => {
  registry = await openRegistry()
})

afterAll(() => registry.close())

type Verdict = Pick<
  PropertyAuthorization,
  'authorized' | 'sides' | 'operator_side' | 'operator_reason'
>

/** A pair as a list shows it. */
type Listed = Pick<Verdict, 'operator_side' | 'operator_reason'> & {
  properties_contradicted?: number
}

async function ask<Body>(path: string, query: Record<string, unknown>): Promise<Body> {
  return (await requestWithQuery(registry, path, query)).json()
}

const toHost = (world: NamedSales, index: number) => `p${index}.${world.publisher}`

function judge(world: NamedSales, agent: string, index: number, terms: object): Promise<Verdict> {
  return ask('/api/registry/validate/property-authorization', {
    agent_url: agent,
    identifier_type: 'domain',
    identifier_value: toHost(world, index),
    ...terms,
  })
}

/** Terms of every place, so that each limit of a grant is met by some of them. */
const everywhere = [undefined, ...countries].flatMap(country =>
  [undefined, ...places].flatMap(placement_ids =>
    [undefined, ['early'], ['late'], [...shows]].map(collection_ids => ({
      country,
      placement_ids,
      collection_ids,
    })),
  ),
)

/** Lists the entries that reach a property now. */
function listReaching(world: NamedSales, agent: number, index: number) {
  const { tags } = world.properties[index]!
  return world.entries.filter(({ agent: of, selection, opens, closes }) => {
    if (of !== agent || (opens ?? 0) > 0 || (closes ?? 0) < 0) return false
    if (selection.by === 'ids') return (selection.of as number[]).includes(index)
    if (selection.by === 'all') return true
    return (selection.of as string[]).some(tag => tags.includes(tag as 'x'))
  })
}

const counts = { confirmed: 0, silent: 0, contradicted: 0, unknown: 0 }

/** Checks what the list of a property's sellers says against the verdicts about each pair. */
async function checkSellers(world: NamedSales, index: number): Promise<void> {
  const { agents } = await ask<{ agents: (Listed & { agent_url: string })[] }>(
    '/api/registry/lookup/property',
    { type: 'domain', value: toHost(world, index) },
  )
  for (const [number, url] of world.agents.entries()) {
    const listed = agents.find(({ agent_url }) => agent_url === url)
    const reaching = listReaching(world, number, index)
    expect(listed !== undefined).toBe(reaching.length > 0)
    const verdicts = await Promise.all(everywhere.map(terms => judge(world, url, index, terms)))
    const isEverSold = verdicts.some(({ authorized }) => authorized)
    if (listed === undefined || listed.operator_side === 'contradicted') {
      expect(isEverSold).toBe(false)
    }
    if (listed === undefined) continue
    counts[listed.operator_side]++
    const isLimited = reaching.some(
      entry => entry.countries || entry.placements || entry.collections,
    )
    if (isLimited) continue
    const { authorized, operator_side, operator_reason } = verdicts[0]!
    expect(listed).toMatchObject({ operator_side, operator_reason })
    expect(authorized).toBe(operator_side !== 'contradicted')
  }
}

/** Checks that all lists of grants say the same of a pair, and count as many properties as the verdict. */
async function checkGrants(world: NamedSales, url: string): Promise<void> {
  const { publisher } = world
  const encoded = encodeURIComponent(url)
  const whole = await ask<Listed & { authorized: number }>(
    '/api/registry/publisher/authorization',
    { domain: publisher, agent: url },
  )
  const reached = await ask<{ publishers?: (Listed & { publisher_domain: string })[] }>(
    `/v1/agents/${encoded}/publishers`,
    {},
  )
  const domains = await ask<{ grants: Listed[] }>(
    `/api/registry/lookup/agent/${encoded}/domains`,
    {},
  )
  const lists = await Promise.all(
    [
      { path: '/api/registry/publisher', query: { domain: publisher } },
      { path: '/api/registry/publisher', query: { domain: publisher, limit: 10 } },
      { path: `/api/registry/lookup/domain/${publisher}`, query: {} },
      { path: '/api/properties/resolve', query: { domain: publisher } },
    ].map(({ path, query }) =>
      ask<{ authorized_agents: (Listed & { url: string })[] }>(path, query),
    ),
  )
  const listed = [
    ...(reached.publishers ?? []),
    ...domains.grants,
    ...lists.flatMap(({ authorized_agents }) =>
      authorized_agents.filter(agent => agent.url === url),
    ),
  ].map(pickSide)
  const isGranted = world.properties.some(
    (_, index) => listReaching(world, world.agents.indexOf(url), index).length > 0,
  )
  expect(listed.length).toBe(isGranted ? 6 : 0)
  if (!isGranted) return
  for (const side of listed) expect(side).toEqual(pickSide(whole))
  const granted = world.properties.filter(
    (_, index) => listReaching(world, world.agents.indexOf(url), index).length > 0,
  ).length
  expect(granted - (whole.properties_contradicted ?? 0)).toBe(whole.authorized)
  expect(whole.operator_side === 'contradicted').toBe('properties_contradicted' in whole)
}

function pickSide({ operator_side, operator_reason, properties_contradicted }: Listed): Listed {
  return {
    operator_side,
    operator_reason,
    ...(properties_contradicted !== undefined && { properties_contradicted }),
  }
}

async function check(world: NamedSales): Promise<void> {
  for (const index of world.properties.keys()) await checkSellers(world, index)
  for (const url of world.agents) await checkGrants(world, url)
  const { count, differing } = await compareGrantedRows(
    registry,
    `publisher_domain = '${world.publisher}'`,
  )
  expect(differing).toEqual([])
  rows += count
}

test('no list disagrees with the verdict about a pair, also once the operator says something else', async () => {
  const checkTwice = async (
    first: typeof saleWorld extends fc.Arbitrary<infer World> ? World : never,
    later: typeof first,
  ) => {
    const world = nameSales(first, runs++)
    await publishFiles(registry, buildSaleFiles(world, registry.clock.now()))
    await check(world)
    const declared = later.declared ?? { names: true, of: [] }
    const files = buildSaleFiles({ ...world, declared }, registry.clock.now())
    const brand = `brand ${world.operator}`
    await publishFiles(registry, { [brand]: files[brand]! })
    await check({ ...world, declared })
  }
  await fc.assert(fc.asyncProperty(saleWorld, saleWorld, checkTwice), { numRuns: RUNS })
  expect(Math.min(rows, ...Object.values(counts))).toBeGreaterThan(0)
})
