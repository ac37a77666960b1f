import { beforeAll, describe, expect, test } from 'vitest'
import { Catalog, CatalogSync, CollectionCatalog } from '../../pipeline/model/responses/catalog.ts'
import { observePublisherFile } from '../support/fixtures/documents.ts'
import { openRegistry } from '../support/registry/app.ts'
import { openForAll } from '../support/runner/open-for-all.ts'
import { START } from '../support/worlds/clock.ts'

const MINUTE = 60_000

const registry = openForAll(openRegistry)

const buildFile = (domain: string, sites: string[], shows: string[] = []) => {
  const file = observePublisherFile(domain, { sites, agents: [] })
  const collections = shows.map(name => ({
    collection_id: name,
    name,
    kind: 'series',
    manifest: {},
    distribution: [
      {
        publisher_domain: domain,
        identifiers: [{ type: 'imdb_id', value: `tt-${name}` }],
      },
    ],
  }))
  return { ...file, document: { ...(file.document as object), collections } }
}

beforeAll(async () => {
  const sites = ['a.example', 'b.a.example', 'c.a.example', 'd.a.example']
  await registry.observe(
    buildFile('a.example', sites, ['one', 'two', 'three']),
    buildFile('b.example', ['b.example']),
  )
  registry.clock.tick(MINUTE)
  await registry.observe(buildFile('a.example', ['a.example', 'c.a.example'], ['one', 'three']))
  await registry.publish()
})

const get = (url: string) => registry.app.inject(url)
const listNames = (entries: { name: string }[]) => entries.map(({ name }) => name)

async function readAllPages(
  url: string,
  next: (page: Record<string, unknown>) => string | undefined,
) {
  const names: string[][] = []
  for (let more: string | undefined = ''; more !== undefined; ) {
    const page = (await get(`${url}${more}`)).json()
    names.push(listNames(page.entries))
    more = next(page)
  }
  return names
}

describe('GET /api/registry/catalog', () => {
  test('200: active properties with their catalog facts', async () => {
    const answer = await get('/api/registry/catalog')
    expect(answer.statusCode).toBe(200)
    expect(answer.headers['x-sync-cursor']).toBe(registry.sequencer.lastEventId)
    const { entries, total, next_cursor } = Catalog.parse(answer.json())
    expect([total, next_cursor]).toEqual([3, null])
    expect(entries[0]).toMatchObject({
      publisher_domain: 'a.example',
      property_id: 'a_example',
      name: 'a.example',
      classification: 'property',
      source: 'authoritative',
      status: 'active',
      identifiers: [{ type: 'domain', value: 'a.example' }],
      tags: ['all'],
      property_type: 'website',
    })
  })

  test('200: every page but the last has a cursor, and `total` counts all', async () => {
    const next = ({ next_cursor, total }: Record<string, unknown>) => {
      expect(total).toBe(5)
      return next_cursor === null ? undefined : `&cursor=${next_cursor}`
    }
    const pages = await readAllPages('/api/registry/catalog?status=all&limit=2', next)
    expect(pages.map(page => page.length)).toEqual([2, 2, 1])
    expect(new Set(pages.flat()).size).toBe(5)
  })

  test.each([
    ['status=stale', ['b.a.example', 'd.a.example']],
    ['status=removed', []],
    ['search=B.EXAM', ['b.example']],
    ['search=%25', []],
    ['source=enriched', []],
    ['classification=ad_infra', []],
    ['identifier_type=domain&limit=5000', ['a.example', 'c.a.example', 'b.example']],
    ['identifier_type=ios_bundle', []],
    ['active_since=2026-11-20T03:01:00Z&status=all', ['b.a.example', 'd.a.example']],
    ['min_resolves=9', ['a.example', 'c.a.example', 'b.example']],
  ])('200: %s', async (query, names) => {
    expect(listNames((await get(`/api/registry/catalog?${query}`)).json().entries)).toEqual(names)
  })

  test.each(['status=gone', 'source=x', 'classification=x', 'limit=-1', 'limit=x', 'cursor=x'])(
    '400: %s',
    async query => {
      expect((await get(`/api/registry/catalog?${query}`)).statusCode).toBe(400)
    },
  )

  test.each([
    'active_since=yesterday',
    'active_since=2026-02-31T99:00:00Z',
    'min_resolves=-1',
    'active_since=9999-12-31T23:59:59-23:59',
    'active_since=0000-01-01T00:00:00%2B23:59',
  ])('400: %s', async query => {
    expect((await get(`/api/registry/catalog?${query}`)).statusCode).toBe(400)
  })
})

describe('GET /api/registry/catalog/sync', () => {
  const url = '/api/registry/catalog/sync?since='

  test('200: all changes since a time, stale properties included', async () => {
    const answer = await get(`${url}${new Date(START).toISOString()}`)
    const { entries, next_cursor } = CatalogSync.parse(answer.json())
    expect(next_cursor).toBeNull()
    expect(entries.map(({ name, status }) => [name, status])).toEqual([
      ['b.a.example', 'stale'],
      ['d.a.example', 'stale'],
    ])
    expect(entries[0]).toMatchObject({
      adagents_url: 'https://a.example/.well-known/adagents.json',
      created_by: null,
      updated_at: new Date(START + MINUTE).toISOString(),
    })
    expect(answer.headers['x-sync-cursor']).toBe(registry.sequencer.lastEventId)
  })

  test('200: pages are complete, also where many changed at the same time', async () => {
    const next = ({ next_cursor }: Record<string, unknown>) =>
      next_cursor === null ? undefined : `&cursor=${next_cursor}`
    const pages = await readAllPages(`${url}1970-01-01&limit=2`, next)
    expect(pages.flat().sort()).toEqual(
      ['a.example', 'b.a.example', 'b.example', 'c.a.example', 'd.a.example'].sort(),
    )
  })

  test('200: the next call with the returned time misses no later commit', async () => {
    const own = await openRegistry()
    await own.observe(buildFile('a.example', ['a.example']))
    await own.publish()
    const first = (await own.app.inject(`${url}1970-01-01`)).json()
    await own.observe(buildFile('b.example', ['b.example']))
    await own.publish()
    const second = (await own.app.inject(`${url}${first.server_timestamp}`)).json()
    expect(listNames(second.entries)).toContain('b.example')
    await own.close()
  })

  test.each(['', 'soon', '20261120', '2026-11-20T03:00:00'])('400: since=%s', async since => {
    expect((await get(url + since)).statusCode).toBe(400)
  })

  test('400: a time is required', async () => {
    const answer = await get('/api/registry/catalog/sync')
    expect([answer.statusCode, answer.json()]).toEqual([
      400,
      { error: '`since` is required.', code: 'invalid_request' },
    ])
  })
})

describe('GET /api/registry/catalog/collections', () => {
  const url = '/api/registry/catalog/collections'

  test('200: existing collections', async () => {
    const answer = await get(url)
    expect(answer.headers['x-sync-cursor']).toBe(registry.sequencer.lastEventId)
    const { entries, total, next_offset } = CollectionCatalog.parse(answer.json())
    expect([total, next_offset, listNames(entries).sort()]).toEqual([2, null, ['one', 'three']])
    expect(entries[0]).toMatchObject({
      publisher_domain: 'a.example',
      kind: 'series',
      source: 'authoritative',
      identifiers: [{ publisher_domain: 'a.example', type: 'imdb_id' }],
    })
  })

  test('200: sync also lists removed ones, page by page', async () => {
    const next = ({ next_offset }: Record<string, unknown>) =>
      next_offset === null ? undefined : `&offset=${next_offset}`
    const pages = await readAllPages(`${url}/sync?limit=2`, next)
    expect(pages.map(page => page.length)).toEqual([2, 1])
    const { entries } = (await get(`${url}/sync`)).json()
    expect(
      Object.fromEntries(entries.map((e: { name: string; status: string }) => [e.name, e.status])),
    ).toEqual({
      one: 'active',
      two: 'removed',
      three: 'active',
    })
  })

  test.each(['limit=0', 'limit=1001', 'limit=1.5', 'offset=-1', 'offset=x'])(
    '400: %s',
    async query => {
      expect((await get(`${url}?${query}`)).statusCode).toBe(400)
      expect((await get(`${url}/sync?${query}`)).statusCode).toBe(400)
    },
  )
})

describe('POST /api/registry/resolve', () => {
  const provenance = { type: 'ssp_inventory' }
  const resolve = (payload: object) =>
    registry.app.inject({ method: 'POST', url: '/api/registry/resolve', payload })

  test('200: known identifiers have their property, in the order of the request', async () => {
    const identifiers = [
      { type: 'domain', value: 'https://WWW.b.example/path' },
      { type: 'domain', value: 'nobody.example' },
      { type: 'ios_bundle', value: 'b.example' },
      { type: 'domain', value: 'a.example' },
    ]
    const answer = await resolve({ identifiers, provenance, mode: 'lookup' })
    expect(answer.statusCode).toBe(200)
    const { resolved, summary } = answer.json()
    expect(summary).toEqual({ total: 4, resolved: 2, created: 0, excluded: 0, not_found: 2 })
    const catalog = (await get('/api/registry/catalog?search=b.example')).json()
    expect(resolved[0]).toEqual({
      identifier: { type: 'domain', value: 'b.example' },
      property_rid: catalog.entries[0].property_rid,
      classification: 'property',
      status: 'existing',
      source: 'authoritative',
    })
    expect(resolved[1]).toEqual({
      identifier: { type: 'domain', value: 'nobody.example' },
      property_rid: null,
      classification: 'unknown',
      status: 'excluded',
      source: null,
    })
    expect(resolved.map(({ status }: { status: string }) => status)).toEqual([
      'existing',
      'excluded',
      'excluded',
      'existing',
    ])
  })

  test('200: an identifier of a merged property has the canonical one', async () => {
    const own = await openRegistry()
    await own.observe(buildFile('a.example', ['a.example']), buildFile('b.example', ['b.example']))
    await own.publish()
    const { entries } = (await own.app.inject('/api/registry/catalog')).json()
    const [canonical, alias] = entries.map((e: { property_rid: string }) => e.property_rid)
    await own.submit({
      op: 'property.merge',
      alias_rid: alias,
      canonical_rid: canonical,
      evidence: 'the same site',
    })
    await own.publish()
    const answer = await own.send('POST', '/api/registry/resolve', {
      payload: {
        identifiers: [{ type: 'domain', value: 'b.example' }],
        provenance,
        mode: 'lookup',
      },
    })
    expect(answer.json().resolved[0]).toMatchObject({ property_rid: canonical, status: 'existing' })
    const removed = (await own.app.inject('/api/registry/catalog?status=removed')).json()
    expect(removed.entries).toMatchObject([{ property_rid: alias, canonical_rid: canonical }])
    await own.close()
  })

  test.each([
    [{ identifiers: [], provenance, mode: 'lookup' }],
    [{ identifiers: [{ type: 'domain' }], provenance, mode: 'lookup' }],
    [{ identifiers: [{ type: ' ', value: 'x' }], provenance, mode: 'lookup' }],
    [{ identifiers: [{ type: 'domain', value: 'x' }], mode: 'lookup' }],
    [
      {
        identifiers: [{ type: 'domain', value: 'x' }],
        provenance: { type: 'gossip' },
        mode: 'lookup',
      },
    ],
    [{ identifiers: [{ type: 'domain', value: 'x' }], provenance, mode: 'guess' }],
    [{ identifiers: 'x', provenance, mode: 'lookup' }],
  ])('400: %j', async payload => {
    expect((await resolve(payload)).statusCode).toBe(400)
  })
})
