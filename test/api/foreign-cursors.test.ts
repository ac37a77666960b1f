import { beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { operations } from '../../api/routes/index.ts'
import { observeBrandFile, observePublisherFile } from '../support/fixtures/documents.ts'
import { openRegistry } from '../support/registry/app.ts'
import { openForAll } from '../support/runner/open-for-all.ts'

const agents = Array.from({ length: 31 }, (_, n) => `https://agent-${n}.example/mcp`)
const since = '2020-01-01T00:00:00Z'

/** Lists whose cursors are positions of their own, with what they need to have a second page. */
const own: Record<string, string> = {
  listBrands: '/api/brands/registry?limit=1',
  listProperties: '/api/properties/registry?limit=1',
  listCatalog: '/api/registry/catalog?limit=1',
  syncCatalog: `/api/registry/catalog/sync?limit=1&since=${since}`,
  searchAgents: '/api/registry/agents/search?limit=1',
  listAuthorizations: `/api/registry/authorizations?limit=1&agent_url=${agents[0]}`,
  listPublishers: '/api/registry/publishers?limit=1',
  lookUpAgentDomains: `/api/registry/lookup/agent/${encodeURIComponent(agents[0]!)}/domains?limit=1`,
  readFeed: '/api/registry/feed?limit=1',
}
const pages = ['/brands', '/publishers', '/agents']

/** Cursors that several lists read alike: as a number of items, as a domain, or as an event of the feed. */
const shared: Record<string, RegExp> = {
  count: /^\d+$/,
  domain: /^site-\d+\.example$/,
  event: /^[\da-f-]{36}$/,
}
const nameShared = (cursor: string) =>
  Object.keys(shared).find(name => shared[name]!.test(cursor)) ?? cursor

const registry = openForAll(openRegistry)
let headers: Record<string, string>
const cursors = new Map<string, string>([['any list that counts items', '1']])

beforeAll(async () => {
  headers = { authorization: `Bearer ${await registry.createKey('Readers')}` }
  const domains = agents.map((_, n) => `site-${n}.example`)
  await registry.observe(
    ...domains.flatMap(domain => [
      observeBrandFile(domain, `Brand ${domain}`),
      observePublisherFile(domain, { sites: [domain], agents }),
    ]),
  )
  await registry.publish()
  for (const [id, url] of Object.entries(own)) {
    const page = (await registry.app.inject({ url, headers })).json()
    cursors.set(id, page.next_cursor ?? page.cursor)
  }
  for (const path of pages) {
    const { body } = await registry.app.inject(path)
    cursors.set(path, /cursor=([\w%.-]+)/.exec(body)?.[1] ?? 'none')
  }
})

/** Finds the parameters of operations that take a cursor of a list. */
const taking = operations.flatMap(operation => {
  const shape = operation.query instanceof z.ZodObject ? operation.query.shape : {}
  return Object.entries(shape as Record<string, z.ZodType>).flatMap(([name, schema]) =>
    /(^|_)cursor$/.test(name) ? [{ id: operation.id, name, schema }] : [],
  )
})

test('every list that is asked here has another page', () => {
  expect(taking.map(({ id }) => id)).toEqual(expect.arrayContaining(Object.keys(own)))
  for (const [list, cursor] of cursors) expect([list, cursor]).toEqual([list, expect.any(String)])
  expect([...cursors.values()]).not.toContain('none')
})

test.each(taking)('$id refuses a `$name` of any other list', ({ id, schema }) => {
  const accepted = [...cursors].filter(([, cursor]) => schema.safeParse(cursor).success)
  const kinds = new Set(
    accepted.map(([list, cursor]) => (list === id ? 'own' : nameShared(cursor))),
  )
  const foreign = [...kinds].filter(kind => kind !== 'own' && !(kind in shared))
  expect(foreign).toEqual([])
})

test.each(Object.keys(own))('%s refuses a cursor of which a character is changed', id => {
  const { schema } = taking.find(taker => taker.id === id)!
  const cursor = cursors.get(id)!
  if (nameShared(cursor) !== cursor) return
  expect(schema.safeParse(cursor).success).toBe(true)
  for (let at = 0; at < cursor.length; at++) {
    for (const other of ['A', 'b', '0', '_'].filter(text => text !== cursor[at])) {
      const changed = cursor.slice(0, at) + other + cursor.slice(at + 1)
      expect([changed, schema.safeParse(changed).success]).toEqual([changed, false])
    }
  }
})

test.each(pages)('%s refuses a cursor of any other list', async path => {
  const accepted: string[] = []
  for (const [list, cursor] of cursors) {
    const { statusCode } = await registry.app.inject(`${path}?cursor=${cursor}`)
    if (statusCode === 200) accepted.push(list)
  }
  expect(accepted).toEqual([path])
})
