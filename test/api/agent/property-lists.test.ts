import { describe, expect, test } from 'vitest'
import { publishers } from '../../../api/agent/catalogue/publishers.ts'
import { openForAll } from '../../support/runner/open-for-all.ts'
import { type Payload, startReferenceAgent } from '../../support/servers/reference-agent.ts'
import { testClock } from '../../support/worlds/clock.ts'

const account = { brand: { domain: 'acme.example' }, operator: 'agency.example' }
const other = { brand: { domain: 'other.example' }, operator: 'agency.example' }
const domain = (value: string) => ({ type: 'domain', value })
const named = (...values: string[]) => ({
  selection_type: 'identifiers',
  identifiers: values.map(domain),
})
const [publisher, second] = publishers as [(typeof publishers)[number], (typeof publishers)[number]]

const agent = openForAll(() => startReferenceAgent(testClock('2026-11-20T00:00Z')))
let keys = 0

const keyed = (args: object) => ({ idempotency_key: `key-of-a-list-of-${++keys}`, ...args })
const create = (content: object) =>
  agent.succeed(
    'governance',
    'create_property_list',
    keyed({ name: 'Approved', account, ...content }),
  )
const resolve = async (content: object): Promise<string[]> => {
  const { list } = await create(content)
  const request = { list_id: list.list_id }
  const { identifiers } = await agent.succeed('governance', 'get_property_list', request)
  expect(list.property_count).toBe(identifiers.length)
  return identifiers.map(({ value }: Payload) => value)
}

describe('a property list', () => {
  test('is created, read, changed, listed and deleted', async () => {
    const mine = { brand: { domain: 'mine.example' }, operator: 'agency.example' }
    const made = await create({
      account: mine,
      base_properties: [named('one.example', 'two.example')],
    })
    const { list_id } = made.list
    expect(made.auth_token).toMatch(/^[0-9a-f-]{36}$/)
    expect(made.list).toMatchObject({ name: 'Approved', property_count: 2, account: mine })
    const change = keyed({ list_id, base_properties: [named('three.example')] })
    const { list } = await agent.succeed('governance', 'update_property_list', change)
    expect(list).toMatchObject({ list_id, name: 'Approved', property_count: 1 })
    const find = async (filter: object) => {
      const { lists } = await agent.succeed('governance', 'list_property_lists', filter)
      return lists.map((found: Payload) => found.list_id)
    }
    expect(await find({ account: mine, name_contains: 'APPROVED' })).toEqual([list_id])
    expect(await find({ account: mine, name_contains: 'refused' })).toEqual([])
    expect(await find({ account: other })).toEqual([])
    const unread = { list_id, resolve: false }
    expect(await agent.succeed('governance', 'get_property_list', unread)).not.toHaveProperty(
      'identifiers',
    )
    expect(
      await agent.succeed('governance', 'delete_property_list', keyed({ list_id })),
    ).toMatchObject({ deleted: true, list_id })
    for (const task of ['get_property_list', 'delete_property_list', 'update_property_list']) {
      expect([task, await agent.fail('governance', task, keyed({ list_id }))]).toEqual([
        task,
        { code: 'REFERENCE_NOT_FOUND', field: 'list_id' },
      ])
    }
    expect(await find({ account: mine })).toEqual([])
  })

  test('is not found by another account', async () => {
    const { list_id } = (await create({})).list
    const request = { list_id, account: other }
    expect(await agent.fail('governance', 'get_property_list', request)).toEqual({
      code: 'REFERENCE_NOT_FOUND',
      field: 'list_id',
    })
  })

  test('has the properties of its sources that its filters leave', async () => {
    const all = publishers.map(it => it.domain)
    const [country = ''] = publisher.countries
    const [topic = ''] = publisher.topics
    expect(await resolve({})).toEqual(all)
    expect(await resolve({ filters: { exclude_identifiers: [domain(publisher.domain)] } })).toEqual(
      all.slice(1),
    )
    expect(await resolve({ filters: { countries_all: [country] } })).toEqual(
      publishers.filter(it => it.countries.includes(country)).map(it => it.domain),
    )
    expect(await resolve({ filters: { channels_any: ['ctv'] } })).toEqual(
      publishers.filter(it => it.channels.includes('ctv')).map(it => it.domain),
    )
    expect(await resolve({ filters: { property_types: ['podcast'] } })).toEqual([])
    const tagged = { selection_type: 'publisher_tags', publisher_domain: publisher.domain }
    expect(
      await resolve({ base_properties: [{ ...tagged, tags: [topic.replaceAll(' ', '_')] }] }),
    ).toEqual([publisher.domain])
    expect(await resolve({ base_properties: [{ ...tagged, tags: ['nothing_like_it'] }] })).toEqual(
      [],
    )
    const base_properties = [named('a.example', 'A.example'), named('b.example')]
    expect(await resolve({ base_properties })).toHaveLength(2)
  })

  test('tells which properties it keeps although a feature is not measured', async () => {
    const requirement = { feature_id: 'carbon', if_not_covered: 'include' }
    const base_properties = [named('a.example')]
    const { list } = await create({
      base_properties,
      filters: { feature_requirements: [requirement] },
    })
    const request = { list_id: list.list_id }
    const answer = await agent.succeed('governance', 'get_property_list', request)
    expect(answer.coverage_gaps).toEqual({ carbon: [domain('a.example')] })
    const strict = { feature_requirements: [{ feature_id: 'carbon' }] }
    expect(await resolve({ base_properties, filters: strict })).toEqual([])
  })

  test('is paged', async () => {
    const hosts = Array.from({ length: 5 }, (_, at) => `host-${at}.example`)
    const { list } = await create({ base_properties: [named(...hosts)] })
    const read = (pagination: object) =>
      agent.succeed('governance', 'get_property_list', { list_id: list.list_id, pagination })
    const first = await read({ max_results: 3 })
    expect(first.pagination).toMatchObject({ has_more: true, total_count: 5 })
    const rest = await read({ max_results: 3, cursor: first.pagination.cursor })
    expect(rest.identifiers.map(({ value }: Payload) => value)).toEqual(hosts.slice(3))
    expect(rest.pagination.has_more).toBe(false)
  })
})

test('delivery is checked by the rules of domains, and counted', async () => {
  const { list } = await create({ base_properties: [named('news.example', '*.wild.example')] })
  const records = [
    ['news.example', 10],
    ['www.news.example', 20],
    ['M.News.example', 30],
    ['deep.wild.example', 40],
    ['wild.example', 1],
    ['sports.news.example', 2],
    ['not a host', 4],
  ].map(([value, impressions]) => ({
    record_id: String(value),
    identifier: domain(String(value)),
    impressions,
  }))
  const check = (more: object = {}) =>
    agent.succeed('governance', 'validate_property_delivery', {
      list_id: list.list_id,
      records,
      ...more,
    })
  const answer = await check()
  expect(answer.compliant).toBe(false)
  expect(answer.summary).toMatchObject({
    total_records: 7,
    total_impressions: 107,
    compliant_records: 4,
    compliant_impressions: 100,
    non_compliant_records: 2,
    non_compliant_impressions: 3,
    unidentified_records: 1,
    unidentified_impressions: 4,
  })
  expect(answer.results.map(({ record_id, status }: Payload) => [record_id, status])).toEqual([
    ['wild.example', 'non_compliant'],
    ['sports.news.example', 'non_compliant'],
    ['not a host', 'unidentified'],
  ])
  expect((await check({ include_compliant: true })).results).toHaveLength(7)
  expect((await check({ records: records.slice(0, 4) })).compliant).toBe(true)
})

describe('a seller', () => {
  const agent_url = 'https://agent.example/governance/mcp'
  const search = (property_list: object) => ({ buying_mode: 'wholesale', property_list })

  test('offers only products on properties of the list', async () => {
    const { list, auth_token } = await create({ base_properties: [named(second.domain)] })
    const ref = { agent_url, list_id: list.list_id, auth_token }
    const { products, property_list_applied } = await agent.succeed(
      'sales',
      'get_products',
      search(ref),
    )
    expect(property_list_applied).toBe(true)
    const domains = products.flatMap(({ publisher_properties }: Payload) =>
      publisher_properties.map((it: Payload) => it.publisher_domain),
    )
    expect([...new Set(domains)]).toEqual([second.domain])
  })

  test('needs the token of the list', async () => {
    const { list_id } = (await create({})).list
    for (const auth_token of [undefined, 'another']) {
      const ref = { agent_url, list_id, ...(auth_token && { auth_token }) }
      expect(await agent.fail('sales', 'get_products', search(ref))).toEqual({
        code: 'REFERENCE_NOT_FOUND',
        field: 'property_list',
      })
    }
  })

  test('says that it did not apply a list of another agent', async () => {
    const ref = { agent_url: 'https://elsewhere.example/mcp', list_id: 'theirs' }
    const { products, property_list_applied } = await agent.succeed(
      'sales',
      'get_products',
      search(ref),
    )
    expect([property_list_applied, products.length > 0]).toEqual([false, true])
  })
})
