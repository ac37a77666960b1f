import { load } from 'cheerio'
import { beforeAll, expect, test } from 'vitest'
import { HOUR } from '../../pipeline/core/clock.ts'
import { observeBrandFile, observePublisherFile } from '../support/fixtures/documents.ts'
import { openRegistry } from '../support/registry/app.ts'
import { openForAll } from '../support/runner/open-for-all.ts'

const agent = 'https://agent.example/mcp'
const authorized = 'https://authorized.example/mcp'
const registry = openForAll(openRegistry)

beforeAll(async () => {
  await registry.observe(
    observePublisherFile('acme.example', { sites: ['acme.example'], agents: [agent] }),
    observePublisherFile('other.example', { sites: ['other.example'], agents: [authorized] }),
    observeBrandFile('acme.example', 'Acme & <b>\u0007'),
  )
  registry.clock.tick(HOUR)
  await registry.observe(
    observePublisherFile('acme.example', { sites: ['acme.example'], agents: [] }),
    observeBrandFile('acme.example', 'Acme'),
  )
  await registry.publish()
})

interface JsonFeed {
  version: string
  feed_url: string
  home_page_url: string
  items: { id: string; url: string; title: string; content_text: string; date_published: string }[]
}

const ask = (path: string, headers: Record<string, string> = {}) =>
  registry.app.inject({ url: path, headers })

async function readJsonFeed(query = ''): Promise<JsonFeed> {
  const answer = await ask(`/changes/feed.json${query}`)
  expect([answer.statusCode, answer.headers['content-type']]).toEqual([
    200,
    'application/feed+json; charset=utf-8',
  ])
  return answer.json()
}

const titles = ({ items }: JsonFeed) => items.map(({ title }) => title)

test('changes of a domain, an agent or a brand are followed without a key', async () => {
  const ofDomain = await readJsonFeed('?domain=https://ACME.example/')
  expect(titles(ofDomain)).toEqual(
    expect.arrayContaining([
      'New: adagents.json of acme.example',
      `New: authorization of ${agent} by acme.example`,
      `Removed: authorization of ${agent} by acme.example`,
      'New: the brand of acme.example',
      'Changed: the brand of acme.example',
    ]),
  )
  expect(titles(ofDomain).some(title => title.includes('other.example'))).toBe(false)
  const ofBrand = await readJsonFeed('?brand=acme.example')
  expect(titles(ofBrand)).toEqual([
    'Changed: the brand of acme.example',
    'New: the brand of acme.example',
  ])
  expect(ofBrand.items[0]!.content_text).toContain('brand_name')
  const ofAgent = await readJsonFeed(`?agent=${encodeURIComponent(agent)}`)
  expect(titles(ofAgent)).toEqual([
    `Removed: authorization of ${agent} by acme.example`,
    `New: authorization of ${agent} by acme.example`,
  ])
  expect(titles(await readJsonFeed('?domain=nobody.example'))).toEqual([])
})

test('all changes are those of the feed, the newest first', async () => {
  const { version, items, home_page_url } = await readJsonFeed()
  expect(version).toBe('https://jsonfeed.org/version/1.1')
  expect(new URL(home_page_url).pathname).toBe('/changes')
  const times = items.map(({ date_published }) => date_published)
  expect(times).toEqual([...times].sort().reverse())
  expect(new Set(items.map(({ id }) => id)).size).toBe(items.length)
})

test('ids last: a later change adds an entry and changes no other', async () => {
  const before = await readJsonFeed('?domain=other.example')
  registry.clock.tick(HOUR)
  await registry.observe(
    observePublisherFile('other.example', {
      sites: ['other.example', 'www.other.example'],
      agents: [authorized],
    }),
  )
  await registry.publish()
  const { items } = await readJsonFeed('?domain=other.example')
  expect(items.length).toBeGreaterThan(before.items.length)
  expect(items).toEqual(expect.arrayContaining(before.items))
})

test('Atom has the same entries, and is well-formed whatever names contain', async () => {
  for (const query of ['', '?domain=other.example', '?brand=acme.example']) {
    const { items, feed_url } = await readJsonFeed(query)
    const answer = await ask(`/changes/feed.atom${query}`)
    expect(answer.headers['content-type']).toBe('application/atom+xml; charset=utf-8')
    const xml = load(answer.body, { xml: true })
    expect(
      xml('entry > id')
        .toArray()
        .map(id => xml(id).text()),
    ).toEqual(items.map(({ id }) => id))
    expect(xml('feed > link[rel=self]').attr('href')).toBe(feed_url.replace('.json', '.atom'))
    expect(answer.body).not.toContain('\u0007')
    expect(answer.body).not.toContain('<b>')
  }
})

test('a reader that has a feed gets 304', async () => {
  for (const path of ['/changes/feed.atom', '/changes/feed.json?domain=acme.example']) {
    const { headers } = await ask(path)
    expect(headers['cache-control']).toBe('public, max-age=60')
    const known = { 'if-none-match': String(headers.etag) }
    expect((await ask(path, known)).statusCode).toBe(304)
    const since = { 'if-modified-since': String(headers['last-modified']) }
    expect((await ask(path, since)).statusCode).toBe(304)
  }
})

test('pages name their feeds', async () => {
  const pages = {
    '/changes': '',
    '/publisher/acme.example': '?domain=acme.example',
    '/publisher/acme.example/history': '?domain=acme.example',
    '/brand/acme.example': '?brand=acme.example',
    '/brand/acme.example/history': '?brand=acme.example',
    [`/agent/${encodeURIComponent(authorized)}`]: `?agent=${encodeURIComponent(authorized)}`,
  }
  for (const [path, query] of Object.entries(pages)) {
    const html = load((await ask(path)).body)
    const linked = html('link[rel=alternate]')
      .toArray()
      .map(link => [html(link).attr('type'), html(link).attr('href')])
    expect([path, linked]).toEqual([
      path,
      [
        ['application/atom+xml', `/changes/feed.atom${query}`],
        ['application/feed+json', `/changes/feed.json${query}`],
      ],
    ])
  }
})

test('400: more than one subject, and none that can be one', async () => {
  for (const query of ['?domain=a.example&brand=a.example', '?domain=x', '?agent=x'])
    expect((await ask(`/changes/feed.atom${query}`)).statusCode).toBe(400)
})
