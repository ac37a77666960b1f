import { randomUUID } from 'node:crypto'
import { load } from 'cheerio'
import { beforeAll, expect, test } from 'vitest'
import { findKeyHolder } from '../../api/auth/principal.ts'
import { Operation } from '../../pipeline/model/submission.ts'
import { observeBrandFile, observePublisherFile } from '../support/fixtures/documents.ts'
import { observeProbedAgent } from '../support/fixtures/probed-agents.ts'
import { openRegistry } from '../support/registry/app.ts'
import { enrol } from '../support/registry/members.ts'
import { openForAll } from '../support/runner/open-for-all.ts'

const SELLER = 'https://sales.seller.example/mcp'
const SECRET = 'https://sales.secret.example/mcp'
const SILENT = 'https://silent.example/mcp'
const sellsTools = { tools: ['get_products', 'create_media_buy'] }

const registry = openForAll(openRegistry)

beforeAll(async () => {
  await enrol(registry, {
    org: 'Secret',
    tier: 'company_standard',
    agents: [{ url: SECRET, visibility: 'private' }],
  })
  const numbers = Array.from({ length: 120 }, (_, number) => number)
  await registry.observe(
    ...numbers.map(number => observeBrandFile(`brand-${number}.example`, `Brand ${number % 7}`)),
    ...numbers.map(number => {
      const domain = `news-${number}.example`
      const agents = number === 7 ? [SELLER, SECRET, SILENT] : number % 2 === 0 ? [SELLER] : []
      return observePublisherFile(domain, { sites: [domain], agents })
    }),
  )
  await registry.observe(
    observeProbedAgent(SELLER, { ...sellsTools, name: 'Reference sales agent' }),
    observeProbedAgent(SECRET, { ...sellsTools, name: 'Reference sales secret' }),
    { kind: 'agent', location: SILENT, outcome: 'timeout', took_ms: 5 },
  )
  await registry.publish()
})

async function read(path: string) {
  const answer = await registry.app.inject(path)
  expect([path, answer.statusCode]).toEqual([path, 200])
  return load(answer.body)
}

const listNames = (page: ReturnType<typeof load>) =>
  page('.entries h2')
    .map((_, heading) => page(heading).text())
    .get()

/** Reads all pages of a directory, following the links between them. */
async function readAll(path: string): Promise<string[]> {
  const links: string[] = []
  for (let next: string | undefined = path; next !== undefined; ) {
    const page = await read(next)
    links.push(
      ...page('.entries h2 a')
        .map((_, link) => page(link).attr('href'))
        .get(),
    )
    next = page('.pages a[rel=next]').attr('href')
  }
  return links
}

test.each([
  '/brands',
  '/brands?sort=changed',
  '/publishers?sort=agents',
  '/publishers?sort=properties',
  '/publishers?sort=changed&state=valid',
])('the pages of %s name everything once, whatever has equal values', async path => {
  const links = await readAll(path)
  expect(links).toHaveLength(120)
  expect(new Set(links).size).toBe(120)
})

test.each(['/brands', '/brands?sort=changed', '/publishers?sort=agents'])(
  'a page of %s says which rows it shows, and leads back to the one before it',
  async path => {
    const shown: [range: string | undefined, names: string[]][] = []
    let at = path
    for (let next: string | undefined = path; next !== undefined; ) {
      at = next
      const page = await read(at)
      shown.push([page('.matches').text().split(' · ')[1], listNames(page)])
      next = page('.pages a[rel=next]').attr('href')
    }
    expect(shown.map(([range]) => range)).toEqual([
      'showing 1–30',
      'showing 31–60',
      'showing 61–90',
      'showing 91–120',
    ])
    for (const [range, names] of shown.toReversed()) {
      const page = await read(at)
      expect([page('.matches').text().split(' · ')[1], listNames(page)]).toEqual([range, names])
      const previous = page('.pages a[rel=prev]').attr('href')
      expect(previous === undefined).toBe(range === 'showing 1–30')
      at = previous ?? at
    }
    expect(at).toBe(path)
  },
)

test('the publishers with the most agents come first', async () => {
  const page = await read('/publishers?sort=agents')
  expect(listNames(page)[0]).toBe('news-7.example')
  expect(page('.entries dd').first().text()).toBe('3')
  expect(page('select[name=sort] option[selected]').text()).toBe('Most agents')
})

test('a filter narrows, and says how many remain', async () => {
  const page = await read('/publishers?sells=no')
  expect(page('.matches').text()).toBe('59 publishers of 120 · showing 1–30 · Clear filters')
  expect(page('.matches a').attr('href')).toBe('/publishers')
  expect(await readAll('/publishers?sells=no')).toHaveLength(59)
  expect((await read('/brands?type=endorsed&source=brand_json'))('main').text()).toContain(
    'No brands match these filters.',
  )
})

test('an option says how many it would find together with the other fields', async () => {
  const page = await read('/publishers?sells=no')
  const option = (name: string, value: string) =>
    page(`select[name=${name}] option[value=${value}]`).text()
  expect(option('sells', 'yes')).toBe('Authorizes agents (61)')
  // All that match are valid: there is no state to choose.
  expect(page('select[name=state]')).toHaveLength(0)
})

test('the agents are filtered by type and state', async () => {
  expect(listNames(await read('/agents?type=sales&state=online'))).toEqual([
    'Reference sales agent',
    'Reference sales secret',
  ])
  expect(listNames(await read('/agents?state=offline'))).toEqual(['silent.example'])
  expect(listNames(await read('/agents?verified=yes'))).toEqual([])
})

test('an agent that a publisher names is found by its name, also if a member lists it as private', async () => {
  expect((await read('/search?q=reference sales secret'))('#agents li')).toHaveLength(1)
  const heading = (await read(`/agent/${encodeURIComponent(SECRET)}`))('h1')
  expect(heading.text()).toBe('Reference sales secret')
})

test('an agent is found by its name on the search page', async () => {
  const page = await read('/search?q=reference SÁLES agent')
  const found = page('#agents li')
  expect(found).toHaveLength(1)
  expect(found.find('a').attr('href')).toBe(`/agent/${encodeURIComponent(SELLER)}`)
  expect(found.text()).toContain('Reference sales agent')
  expect(page('main').text()).not.toContain('Nothing matches')
  const heading = (await read(`/agent/${encodeURIComponent(SELLER)}`))('h1')
  expect(heading.text()).toBe('Reference sales agent')
})

test('a search for the address of a known agent does not call its domain unknown', async () => {
  const known = await read(`/search?q=${encodeURIComponent(SELLER)}`)
  expect(known('.entries a').attr('href')).toBe(`/agent/${encodeURIComponent(SELLER)}`)
  expect(known('.notice')).toHaveLength(0)
  const byDomain = await read('/search?q=sales.seller.example')
  expect(byDomain('#agents li')).toHaveLength(1)
  expect(byDomain('.notice')).toHaveLength(0)
  const above = await read('/search?q=seller.example')
  expect(above('.notice').text()).toContain('seller.example isn’t in the registry yet')
})

test('the tiles of the home page lead to the directories', async () => {
  const page = await read('/')
  const paths = page('.counts a')
    .map((_, link) => page(link).attr('href'))
    .get()
  expect(paths).toHaveLength(5)
  for (const [index, path] of paths.entries()) {
    if (index === 2 || index === 4) continue
    const count = page('.counts dd').eq(index).text()
    expect((await read(path))('.matches strong').text().split(' ')[0]).toBe(count)
  }
})

test.each([
  '/brands?cursor=nonsense',
  '/brands?sort=price',
  '/publishers?state=good',
  '/agents?cursor=WyJhIl0',
])('400: %s is refused as a page', async path => {
  const answer = await registry.app.inject(path)
  expect([answer.statusCode, answer.headers['content-type']]).toEqual([
    400,
    'text/html; charset=utf-8',
  ])
})

test('a publisher whose file is only hosted here is listed, and can be found by that', async () => {
  const domains = ['hosted.example']
  const key = await enrol(registry, { org: 'Host', tier: 'company_standard', domains })
  const { id, org_id } = findKeyHolder(registry.reader, key)!
  const property = { type: 'website', name: 'Hosted', identifiers: [] }
  const save = Operation.parse({
    op: 'property.save',
    revision_id: randomUUID(),
    domain: 'hosted.example',
    editor: { kind: 'key', id, org_id },
    properties: [property],
  })
  const [answer] = await registry.submit(save)
  expect(answer).not.toHaveProperty('refused')
  await registry.publish()
  const page = await read('/publishers?state=hosted')
  expect(listNames(page)).toEqual(['hosted.example'])
  expect(page('.entries .state').text()).toBe('hosted here')
})
