import { randomUUID } from 'node:crypto'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { beforeAll, expect, test } from 'vitest'
import { MINUTE, toIso } from '../../pipeline/core/clock.ts'
import type { Domain } from '../../pipeline/core/domain.ts'
import { observeBrandFile, observePublisherFile } from '../support/fixtures/documents.ts'
import { openAnotherApi, openRegistry, type TestRegistry } from '../support/registry/app.ts'
import { openForAll } from '../support/runner/open-for-all.ts'

const registry = openForAll(openRegistry)

beforeAll(async () => {
  await registry.observe(
    ...['b', 'a', 'c'].map(name => observeBrandFile(`${name}.example`, `Brand ${name}`)),
    observePublisherFile('a.example', { sites: ['a.example'], agents: [] }),
  )
  await registry.publish()
})

const brandsIn = async (query = '') => {
  const answer = await registry.app.inject(`/api/brands/registry${query}`)
  const domains = answer.json().brands.map((brand: { domain: string }) => brand.domain)
  return { domains, seq: answer.headers['x-registry-seq'], type: answer.headers['content-type'] }
}

test('a list without filters has the same pages for all callers, with cursors and offsets', async () => {
  const first = await brandsIn()
  expect(first.domains).toEqual(['a.example', 'b.example', 'c.example'])
  expect(first.type).toBe('application/json; charset=utf-8')
  expect(await brandsIn()).toEqual(first)
  expect((await brandsIn('?limit=2')).domains).toEqual(['a.example', 'b.example'])
  expect((await brandsIn('?limit=2&offset=2')).domains).toEqual(['c.example'])
  expect((await brandsIn('?search=b.ex')).domains).toEqual(['b.example'])
  expect((await brandsIn('?search=')).domains).toEqual(first.domains)
  expect((await brandsIn('?source=enriched')).domains).toEqual([])
})

/** Reads every page of a list by `next_cursor`. */
async function walk(app: TestRegistry['app'], list: 'brands' | 'properties', query: string) {
  const names: string[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const more: string = cursor === '' ? '' : `&cursor=${cursor}`
    const page = (await app.inject(`/api/${list}/registry?${query}${more}`)).json()
    expect(page.has_more).toBe(page.next_cursor !== null)
    expect(page[list].length).toBeGreaterThan(0)
    names.push(
      ...page[list].map((item: Record<string, string>) => item.property_rid ?? item.domain),
    )
    cursor = page.next_cursor
  }
  return names
}

test.each(['', '&source=brand_json', '&search=example'])(
  'cursors lead to the end of a list, whatever the limits: %s',
  async more => {
    const all = (await brandsIn(`?${more}`)).domains
    expect(await walk(registry.app, 'brands', `limit=2${more}`)).toEqual(all)
    expect(await walk(registry.app, 'brands', `limit=1${more}`)).toEqual(all)
    expect(await walk(registry.app, 'properties', `limit=1`)).toHaveLength(1)
    const { domains } = await brandsIn(`?limit=1&offset=1&cursor=2${more}`)
    expect(domains).toEqual(all.slice(2, 3))
  },
)

test.each([true, false])(
  'a page continues after the last item, whatever came or went before it: search file %s',
  async hasSearchFile => {
    const own = await openRegistry()
    const publish = async () => {
      await own.publish()
      if (hasSearchFile) return
      rmSync(own.reader.paths.searchCheckpoint, { force: true })
      await own.reader.refresh()
    }
    const read = async (query: string) =>
      (await own.app.inject(`/api/brands/registry?limit=2${query}`)).json()
    const toDomains = (page: { brands: { domain: string }[] }) =>
      page.brands.map(({ domain }) => domain)
    const observe = (name: string) =>
      own.observe(observeBrandFile(`${name.toLowerCase().replace('é', 'e')}.example`, name))
    for (const name of ['Ant', 'Bee', 'Cat', 'Élan', 'Ox']) await observe(name)
    await publish()
    const first = await read('')
    expect(toDomains(first)).toEqual(['ant.example', 'bee.example'])
    for (const name of ['Aardvark', 'Bear', 'Beetle']) await observe(name)
    await publish()
    for (const source of ['', '&source=brand_json']) {
      const second = await read(`&cursor=${first.next_cursor}${source}`)
      expect(toDomains(second)).toEqual(['beetle.example', 'cat.example'])
      const third = await read(`&cursor=${second.next_cursor}${source}`)
      expect(toDomains(third)).toEqual(['ox.example', 'elan.example'])
      expect(third).toMatchObject({ has_more: false, next_cursor: null })
    }
    expect(toDomains(await read('&cursor=2'))).toEqual(['bear.example', 'bee.example'])
    for (const cursor of ['W10', 'WzFd', 'x', `${first.next_cursor}&search=bee`]) {
      const answer = await own.app.inject(`/api/brands/registry?cursor=${cursor}`)
      expect([answer.statusCode, answer.json().error]).toEqual([
        400,
        expect.stringContaining('next_cursor'),
      ])
    }
    await own.close()
  },
)

test('a new snapshot shows its content, whatever was cached before', async () => {
  for (let night = 0; night < 3; night++) {
    const before = await brandsIn()
    await registry.observe(observeBrandFile(`n${night}.example`, `A night ${night}`))
    expect(await brandsIn()).toEqual(before)
    await registry.publish()
    const after = await brandsIn()
    expect(after.domains).toContain(`n${night}.example`)
    expect(Number(after.seq)).toBe(Number(before.seq) + 1)
    const properties = await registry.app.inject('/api/properties/registry')
    expect(properties.json().properties).toHaveLength(1)
    expect(properties.headers['x-registry-seq']).toBe(after.seq)
  }
})

test('every page has the same bytes with and without the search file', async () => {
  const own = await openRegistry()
  const mixed = ['ö.example', 'b.example', 'a.example'].map(domain =>
    observeBrandFile(domain, `Ä ${domain}`),
  )
  await own.observe(
    ...mixed,
    observePublisherFile('a.example', { sites: ['a.example', 'x.a.example'], agents: [] }),
  )
  await own.createKey('Tellers')
  const key = await own.sequencer.accounts.db.one<{ id: string; org_id: string }>(
    'select key_id as id, org_id from api_keys',
  )
  for (const domain of ['told.example', 'also.example'] as Domain[]) {
    const proven = { org: 'Tellers', domain, proof: 'operator' } as const
    await own.submit({ op: 'organization.domain.add', ...proven })
    const editor = { kind: 'key' as const, ...key! }
    const edit = () => ({ revision_id: randomUUID(), domain, editor })
    const website = { type: 'website', name: domain, identifiers: [], tags: [] }
    await own.submit(
      { op: 'brand.save', brand_name: `Told of ${domain}`, ...edit() },
      { op: 'property.save', properties: [website], ...edit() },
    )
  }
  await own.publish()
  const pages = async (app: TestRegistry['app']) => {
    const bodies: string[] = []
    for (const [list, sources] of Object.entries({
      brands: ['', '&source=brand_json', '&source=community', '&source=enriched', '&source=hosted'],
      properties: ['', '&source=adagents_json', '&source=community'],
    })) {
      for (const source of sources) {
        for (const page of ['', 'limit=2', 'offset=1', 'limit=2&offset=2', 'limit=3&offset=99']) {
          bodies.push((await app.inject(`/api/${list}/registry?${page}${source}`)).body)
        }
      }
    }
    return bodies
  }
  const found = await pages(own.app)
  expect(own.reader.lists).toBeDefined()
  rmSync(own.reader.paths.searchCheckpoint)
  const { app, reader, close } = await openAnotherApi(own)
  expect(reader.lists).toBeUndefined()
  expect(await pages(app)).toEqual(found)
  expect(found[0]).toContain('"stats":{"total":5,"hosted":0,"brand_json":3,"community":2,')
  await close()
  await own.close()
})

test('a list waits ten minutes for its search file, then shows the new snapshot without it', async () => {
  const own = await openRegistry()
  const names = async () => {
    await own.reader.refresh()
    const answer = await own.app.inject('/api/brands/registry')
    return [answer.json().stats.total, answer.headers['x-registry-seq']]
  }
  const { searchCheckpoint } = own.reader.paths
  await own.observe(observeBrandFile('a.example', 'A'))
  await own.publish()
  const before = readFileSync(searchCheckpoint)
  await own.observe(observeBrandFile('b.example', 'B'))
  await own.sequencer.publish()
  await own.sequencer.searchable()
  const after = readFileSync(searchCheckpoint)
  writeFileSync(searchCheckpoint, before)
  expect(await names()).toEqual([1, '1'])
  own.clock.tick(9 * MINUTE)
  expect(await names()).toEqual([1, '1'])
  own.clock.tick(MINUTE)
  expect(await names()).toEqual([2, '2'])
  writeFileSync(searchCheckpoint, after)
  expect(await names()).toEqual([2, '2'])
  expect(own.reader.lists?.seq).toBe(2)
  await own.close()
})

test('more different pages than the cache holds are answered as well', async () => {
  for (let limit = 1; limit < 40; limit++) {
    expect((await brandsIn(`?limit=${limit}`)).domains).toHaveLength(Math.min(limit, 6))
  }
})

test('a list reports up to when it is complete: until now, while nothing was committed after it', async () => {
  const own = await openRegistry()
  const readSeq = async (path = '/api/brands/registry') =>
    (await own.app.inject(path)).headers['x-registry-as-of']
  const now = () => toIso(own.clock.now())
  await own.observe(observeBrandFile('a.example', 'A'))
  await own.publish()
  const published = now()
  own.clock.tick(MINUTE)
  expect(await readSeq()).toBe(now())
  await own.observe(observeBrandFile('b.example', 'B'))
  own.clock.tick(MINUTE)
  expect(await readSeq()).toBe(published)
  expect(await readSeq('/api/search?q=brand')).toBe(published)
  expect(await readSeq('/api/brands/resolve?domain=a.example')).toBeUndefined()
  await own.publish()
  expect(await readSeq()).toBe(now())
  await own.close()
})
