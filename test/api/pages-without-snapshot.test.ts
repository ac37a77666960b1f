import { load } from 'cheerio'
import { beforeAll, expect, test } from 'vitest'
import { observeBrandFile, observePublisherFile } from '../support/fixtures/documents.ts'
import { observeProbedAgent } from '../support/fixtures/probed-agents.ts'
import { type ObservationDraft, openRegistry } from '../support/registry/app.ts'
import { openForAll } from '../support/runner/open-for-all.ts'

const AGENT = 'https://sales.agent.example/mcp'
const fault = { field: 'properties[0]', code: 'missing', message: 'lacks a name' } as const

const registry = openForAll(openRegistry)

beforeAll(async () => {
  const publisher = observePublisherFile('news.example', {
    sites: ['news.example', 'sport.example'],
    agents: [AGENT],
  })
  await registry.observe(
    { ...publisher, faults: [{ ...fault, severity: 'error' }] } as ObservationDraft,
    buildLeaf('first-house.example'),
    ...['first-house.example', 'second-house.example'].map(observeNothing),
  )
  const says = { tools: ['get_products', 'list_accounts'] }
  await registry.observe({ ...observeProbedAgent(AGENT, says), took_ms: 250 })
})

function buildLeaf(house: string): ObservationDraft {
  const { document, ...seen } = observeBrandFile('leaf.example', 'Leaf', { tagline: house })
  return { ...seen, document: { ...(document as object), house_domain: house } } as ObservationDraft
}

const observeNothing = (location: string): ObservationDraft => ({
  kind: 'brand.json',
  location,
  outcome: 'absent',
  status: 404,
})

async function read(path: string) {
  const answer = await registry.app.inject(path)
  expect([path, answer.statusCode]).toEqual([path, 200])
  return load(answer.body)
}

test('the page of a publisher shows the faults of its file', async () => {
  const page = await read('/publisher/news.example')
  expect(page('#file tbody tr').text()).toContain('lacks a name')
  expect(page('#history').text()).toContain('File first read: 20 Nov 2026')
  expect(page('.tiles').text()).toMatch(/FileUsable1 error/)
})

test('the page of an agent shows how it was found and what it can do', async () => {
  const page = await read(`/agent/${encodeURIComponent(AGENT)}`)
  expect(page('.counts').text()).toBe('Publishers1Properties1')
  expect(page('.tiles').text()).toBe(
    'StateOnline20 Nov 2026, 03:00 UTC, 250 msBadgeNoneTestsNo results',
  )
  expect(page('#capabilities').text()).toMatch(/Tools.*2/s)
  const sections = page('main > section')
    .map((_, section) => page(section).attr('id'))
    .get()
  expect(sections).toEqual(['publishers', 'capabilities'])
  expect(
    page('#capabilities tbody th')
      .map((_, cell) => page(cell).text())
      .get(),
  ).toEqual(['get_products', 'list_accounts'])
})

test('a brand that names another house leaves the portfolio of the first', async () => {
  const before = await read('/brand/first-house.example')
  expect(before('#house .tree a').attr('href')).toBe('/brand/leaf.example')
  registry.clock.tick({ days: 1 })
  await registry.observe(buildLeaf('second-house.example'))
  const after = await read('/brand/second-house.example')
  expect(after('#house .tree a').text()).toBe('Leaf')
  expect((await registry.app.inject('/brand/first-house.example')).statusCode).toBe(404)
})

test('what pages show is checked with the other stores', async () => {
  expect(await registry.verify()).toEqual([])
})
