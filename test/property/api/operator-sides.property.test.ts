import { gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { toIso } from '../../../pipeline/core/clock.ts'
import type { PropertyAuthorization } from '../../../pipeline/model/responses/authority.ts'
import { compareGrantedRows } from '../../support/checks/granted-rows.ts'
import { observeOutcome } from '../../support/fixtures/observations.ts'
import { publishFiles, requestWithQuery } from '../../support/fixtures/operator-files.ts'
import { openRegistry } from '../../support/registry/app.ts'
import { openForAll } from '../../support/runner/open-for-all.ts'
import {
  buildSaleFiles,
  contradictedSale,
  countries,
  type NamedSales,
  nameSales,
  places,
  type SaleWorld,
  saleWorld,
  shows,
} from '../../support/worlds/arbitrary-sales.ts'

const RUNS = 12
const SECOND = 1_000

const registry = openForAll(openRegistry)
let key: string
let runs = 0
let rows = 0

beforeAll(async () => {
  key = await registry.createKey('Readers')
})

type Verdict = Pick<
  PropertyAuthorization,
  'authorized' | 'needs' | 'sides' | 'operator_side' | 'operator_reason'
>

/** A pair as a list shows it. */
type Listed = Pick<Verdict, 'needs' | 'operator_side' | 'operator_reason'> & {
  authorization_types?: string[]
  signals_only?: true
  properties_contradicted?: number
  properties_stale?: number
}

/** A grant as lists of authorizations show it. */
type ListedGrant = Listed & { properties_authorized: number }

async function ask<Body>(path: string, query: Record<string, unknown>): Promise<Body> {
  return (await requestWithQuery(registry, path, query)).json()
}

/** Asks for the list that only callers with a key may read. */
async function listAuthorizations(agent_url: string): Promise<ListedGrant[]> {
  const { body } = await askWithKey('', agent_url)
  return (JSON.parse(body) as { rows: ListedGrant[] }).rows
}

/** Reads the same grants as a copy of the registry starts with them. */
async function listCopied(agent_url: string): Promise<ListedGrant[]> {
  const { rawPayload } = await askWithKey('/snapshot', agent_url)
  const lines = gunzipSync(rawPayload).toString().split('\n')
  return lines.filter(line => line !== '').map(line => JSON.parse(line))
}

function askWithKey(path: string, agent_url: string) {
  return registry.send(
    'GET',
    `/api/registry/authorizations${path}?${new URLSearchParams({ agent_url })}`,
    { key },
  )
}

/** Counts the marks of grants that the operator contradicts, and of those with stale properties, on a page. */
async function countMarks(path: string) {
  const { body, statusCode } = await registry.app.inject(path)
  expect(statusCode).toBe(200)
  const count = (mark: string) => body.split(mark).length - 1
  return { contradicted: count('>Contradicted<'), stale: count('>Stale properties<') }
}

/** A world, or what is left of it: a publisher's file that is gone. */
interface CheckedWorld extends NamedSales {
  isGone?: true
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

/** Lists the entries that name an agent now. */
function listOpen(world: NamedSales, agent: number) {
  return world.entries.filter(
    ({ agent: of, opens, closes }) => of === agent && (opens ?? 0) <= 0 && (closes ?? 0) >= 0,
  )
}

/** Lists the entries that reach a property now. */
function listReaching(world: NamedSales, agent: number, index: number) {
  const { tags } = world.properties[index]!
  return listOpen(world, agent).filter(({ selection }) => {
    if (selection.by === 'ids') return (selection.of as number[]).includes(index)
    if (selection.by === 'all') return true
    if (selection.by === 'signals') return false
    return (selection.of as string[]).some(tag => tags.includes(tag as 'x'))
  })
}

const typesBySelection = {
  ids: 'property_ids',
  tags: 'property_tags',
  all: 'publisher_properties',
  signals: 'signal_tags',
}

/** Builds what lists have to say that an agent's grants are of; no types if nothing is granted. */
function buildScope(world: NamedSales, agent: number) {
  const reaching = world.properties.flatMap((_, index) => listReaching(world, agent, index))
  const granting = listOpen(world, agent).filter(
    entry => entry.selection.by === 'signals' || reaching.includes(entry),
  )
  const types = new Set(granting.map(({ selection }) => typesBySelection[selection.by]))
  return {
    authorization_types: [...types],
    signals_only: reaching.length === 0 ? (true as const) : undefined,
  }
}

const limits = { country: 0, collection_ids: 0, placement_ids: 0, nothing: 0 }
const scopes = { signals: 0, properties: 0 }
const counts = { confirmed: 0, silent: 0, contradicted: 0, unknown: 0 }

/** Checks what the list of a property's sellers says against the verdicts about each pair. */
async function checkSellers(world: CheckedWorld, index: number): Promise<void> {
  const { agents } = await ask<{ agents: (Listed & { agent_url: string })[] }>(
    '/api/registry/lookup/property',
    { type: 'domain', value: toHost(world, index) },
  )
  for (const [number, url] of world.agents.entries()) {
    const listed = agents.find(({ agent_url }) => agent_url === url)
    const reaching = listReaching(world, number, index)
    expect(listed !== undefined).toBe(reaching.length > 0 && !world.isGone)
    const verdicts = await Promise.all(everywhere.map(terms => judge(world, url, index, terms)))
    const isEverSold = verdicts.some(({ authorized }) => authorized)
    if (listed === undefined || listed.operator_side === 'contradicted') {
      expect(isEverSold).toBe(false)
    }
    if (listed === undefined) continue
    counts[listed.operator_side]++
    const { authorized, needs, operator_side, operator_reason } = verdicts[0]!
    limits[listed.needs ?? 'nothing']++
    const isFree = reaching.some(
      entry => !entry.countries && !entry.placements && !entry.collections,
    )
    // The operator may contradict the free grant alone: then a limited one may still allow the sale.
    if (!isFree) expect(listed.needs).toBeDefined()
    const isOpen = listed.needs === undefined && listed.operator_side !== 'contradicted'
    expect(authorized).toBe(isOpen)
    if (listed.operator_side !== 'contradicted') expect(needs).toBe(listed.needs)
    const isLimited = reaching.some(
      entry => entry.countries || entry.placements || entry.collections,
    )
    if (!isLimited) expect(listed).toMatchObject({ operator_side, operator_reason })
  }
}

/** Checks that a pair which needs no term may be sold without any, as far as its operator allows. */
async function checkNeeds(world: CheckedWorld, url: string, { needs, ...pair }: Listed) {
  const number = world.agents.indexOf(url)
  const verdicts = await Promise.all(
    world.properties.flatMap((_, index) =>
      listReaching(world, number, index).length > 0 ? [judge(world, url, index, {})] : [],
    ),
  )
  const unsold = verdicts.filter(({ authorized }) => !authorized)
  if (needs !== undefined) return expect(unsold.length).toBeGreaterThan(0)
  expect(unsold.length).toBe((pair.properties_contradicted ?? 0) + (pair.properties_stale ?? 0))
}

/** Checks that rows of grants count the stale properties that each reaches. */
function checkStale({ isGone }: CheckedWorld, rows: readonly ListedGrant[]) {
  for (const { properties_authorized, properties_stale } of rows)
    expect(properties_stale ?? 0).toBe(isGone ? properties_authorized : 0)
}

/** Lists the grants of an agent as they are now, from the history. */
async function listPast(encodedUrl: string): Promise<Listed[]> {
  const as_of = toIso(registry.clock.now())
  const { grants } = await ask<{ grants: Listed[] }>(
    `/api/registry/lookup/agent/${encodedUrl}/domains`,
    { as_of },
  )
  const { publishers } = await ask<{ publishers: Listed[] }>(
    `/v1/agents/${encodedUrl}/publishers`,
    {
      as_of,
    },
  )
  return [...grants, ...publishers]
}

/** Checks that all lists of grants say the same of a pair, and count as many properties as the verdict. */
async function checkGrants(world: CheckedWorld, url: string): Promise<void> {
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
  const operated = await ask<{ agents: { url: string; authorized_by: Listed[] }[] }>(
    '/api/registry/operator',
    { domain: world.operator },
  )
  const sold = operated.agents.find(agent => agent.url === url)?.authorized_by
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
  const authorizations = await listAuthorizations(url)
  const pairs = [
    ...(reached.publishers ?? []),
    ...domains.grants,
    ...(sold ?? []),
    ...lists.flatMap(({ authorized_agents }) =>
      authorized_agents.filter(agent => agent.url === url),
    ),
  ]
  const copied = await listCopied(url)
  checkStale(world, [...authorizations, ...copied])
  const scope = buildScope(world, world.agents.indexOf(url))
  const isGranted = scope.authorization_types.length > 0
  expect(pairs.length).toBe(isGranted ? (sold ? 7 : 6) : 0)
  expect(authorizations.length > 0).toBe(isGranted)
  expect(copied.length).toBe(authorizations.length)
  if (!isGranted) return
  for (const side of [...authorizations, ...pairs]) expect(pickSide(side)).toEqual(pickSide(whole))
  for (const { needs, properties_stale } of pairs)
    expect({ needs, properties_stale }).toEqual({
      needs: whole.needs,
      properties_stale: whole.properties_stale,
    })
  const past = await listPast(encoded)
  expect(past.length).toBe(2)
  for (const { authorization_types, signals_only } of [...pairs, ...past])
    expect({ authorization_types, signals_only }).toEqual(scope)
  scopes[scope.signals_only ? 'signals' : 'properties']++
  await checkNeeds(world, url, whole)
  const granted = world.properties.filter(
    (_, index) => listReaching(world, world.agents.indexOf(url), index).length > 0,
  ).length
  const { properties_contradicted = 0, properties_stale = 0 } = whole
  expect(properties_stale).toBe(world.isGone ? granted : 0)
  expect(granted - properties_contradicted - properties_stale).toBe(whole.authorized)
  expect(whole.operator_side === 'contradicted').toBe('properties_contradicted' in whole)
  expect(await countMarks(`/agent/${encoded}`)).toEqual({
    contradicted: whole.operator_side === 'contradicted' ? 1 : 0,
    stale: properties_stale > 0 ? 1 : 0,
  })
}

/** Checks that the publisher's page marks the agents that its lookup says are contradicted, and views count the same. */
async function checkMarks({ publisher, agents }: CheckedWorld): Promise<void> {
  const { authorized_agents } = await ask<{ authorized_agents: (Listed & { url: string })[] }>(
    '/api/registry/publisher',
    { domain: publisher },
  )
  const contradicted = authorized_agents.filter(side => side.operator_side === 'contradicted')
  const stale = authorized_agents.filter(({ properties_stale }) => properties_stale !== undefined)
  expect(await countMarks(`/publisher/${publisher}`)).toEqual({
    contradicted: contradicted.length,
    stale: stale.length,
  })
  const list = `('${agents.join("', '")}')`
  const { db } = registry.reader.snapshot!
  const views = await db.all<{ agent_url: string; paths: number; stale: number; reach: number }>(
    `select agent_url, max(properties_contradicted) as paths, max(properties_stale) as stale,
       max(contradicted_publishers) as reach
     from main.supply_path join main.agent_reach using (agent_url)
     where agent_url in ${list} group by agent_url`,
  )
  const flat = await db.all<{ agent_url: string }>(
    `select distinct agent_url from main.grants_flat
     where agent_url in ${list} and operator_side = 'contradicted'`,
  )
  const marked = new Set(flat.map(({ agent_url }) => agent_url))
  const unsold = await db.all<{ agent_url: string }>(
    `select distinct agent_url from main.grants_flat
     where agent_url in ${list} and property_status = 'stale'`,
  )
  const urls = views.flatMap(({ agent_url, stale }) => (stale > 0 ? [agent_url] : []))
  for (const found of [urls, unsold.map(row => row.agent_url)])
    expect(found.sort()).toEqual(stale.map(({ url }) => url).sort())
  for (const { agent_url, paths, reach } of views) {
    expect([paths > 0, reach]).toEqual([marked.has(agent_url), marked.has(agent_url) ? 1 : 0])
  }
}

function pickSide({ operator_side, operator_reason, properties_contradicted }: Listed): Listed {
  return {
    operator_side,
    operator_reason,
    ...(properties_contradicted !== undefined && { properties_contradicted }),
  }
}

async function check(world: CheckedWorld): Promise<void> {
  for (const index of world.properties.keys()) await checkSellers(world, index)
  await registry.publish()
  for (const url of world.agents) await checkGrants(world, url)
  await checkMarks(world)
  const { count, differing } = await compareGrantedRows(
    registry,
    `publisher_domain = '${world.publisher}'`,
  )
  expect(differing).toEqual([])
  rows += count
}

const limit = { agent: 0, selection: { by: 'all', of: [] }, placements: undefined } as const
const always = { opens: undefined, closes: undefined }
/** An operator contradicts the first of two limited grants, so that a sale needs the term of the other. */
const limitedTwice: SaleWorld = {
  properties: [{ tags: [] }, { tags: [] }],
  entries: [
    { ...limit, delegation: 'ad_network', countries: ['FR'], collections: undefined, ...always },
    { ...limit, delegation: 'direct', countries: undefined, collections: ['early'], ...always },
  ],
  declared: {
    names: false,
    of: [
      [0, 'direct'],
      [1, 'direct'],
    ],
  },
  isItself: false,
  topIn: undefined,
}

test('no list disagrees with the verdict about a pair, also once the operator says something else, or the file is gone', async () => {
  const checkThrice = async (first: SaleWorld, later: SaleWorld) => {
    const world = nameSales(first, runs++)
    await publishFiles(registry, buildSaleFiles(world, registry.clock.now()))
    await check(world)
    const declared = later.declared ?? { names: true, of: [] }
    const files = buildSaleFiles({ ...world, declared }, registry.clock.now())
    const brand = `brand ${world.operator}`
    await publishFiles(registry, { [brand]: files[brand]! })
    await check({ ...world, declared })
    const now = registry.clock.now()
    await registry.observe(observeOutcome('absent', 'adagents.json', world.publisher, now))
    registry.clock.tick(SECOND)
    await check({ ...world, declared, isGone: true })
  }
  await fc.assert(fc.asyncProperty(saleWorld, saleWorld, checkThrice), {
    numRuns: RUNS,
    examples: [
      [limitedTwice, limitedTwice],
      [contradictedSale, contradictedSale],
    ],
    endOnFailure: true,
  })
  const { nothing, ...terms } = limits
  const limited = Object.values(terms).reduce((sum, count) => sum + count, 0)
  expect(
    Math.min(rows, ...Object.values(counts), ...Object.values(scopes), nothing, limited),
  ).toBeGreaterThan(0)
})
