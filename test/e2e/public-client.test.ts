import { spawnSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RegistryClient } from '@adcp/sdk'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { projectRoot } from '../../pipeline/core/project-root.ts'
import { demoAgents, managerDomain, toUrl } from '../../scripts/world/demo-agents.ts'
import { waitUntil } from '../support/processes/command.ts'
import type { Demo } from '../support/processes/demo.ts'
import { startClientDemo } from './client-demo.ts'

const house = managerDomain
const seller = 'https://ads.lantern-media.example/mcp'
const formatsAgent = toUrl(demoAgents.find(({ company }) => company === 'Inkwell Creative')!)
let demo: Demo
let base: string
let secret: string
let client: RegistryClient
/** A publisher of the demo, one of its websites, and an agent that can sell all of it. */
let publisher: string
let site: string
let agent: string

beforeAll(async () => {
  demo = await startClientDemo()
  ;({ base, secret, client } = demo)
  const { events } = await waitUntil(async () => {
    const feed = await client.getFeed({ types: 'authorization.granted', limit: 1_000 })
    return feed.events.length > 0 && feed
  })
  for (const { payload } of events) {
    const { publisher_domain, agent_url } = payload as Record<string, string>
    const found = await client.lookupProperty(publisher_domain!)
    const { authorized } = await client.validatePropertyAuthorization(
      agent_url!,
      'domain',
      publisher_domain!,
    )
    // A grant may be limited to countries.
    if (!authorized) continue
    const own = found?.properties?.find(({ identifiers }) => identifiers?.[0]?.type === 'domain')
    if (own === undefined) continue
    ;[publisher, agent, site] = [publisher_domain!, agent_url!, own.identifiers![0]!.value]
    return
  }
})

afterAll(() => demo?.close())

describe('the public client finds', () => {
  test('brands', async () => {
    expect(await client.lookupBrand(house)).toMatchObject({ canonical_domain: house })
    expect(await client.lookupBrand('nobody.example')).toBeNull()
    const many = await client.lookupBrands([house, 'nobody.example'])
    expect(many).toMatchObject({ [house]: { canonical_domain: house }, 'nobody.example': null })
    const { brands, stats } = await client.listBrands({ limit: 5 })
    expect(brands).toHaveLength(5)
    expect(stats.total).toBeGreaterThan(100)
    expect(await client.getBrandJson(house)).toMatchObject({ domain: house })
    expect(await client.enrichBrand(house)).toMatchObject({ success: true, domain: house })
    const named = await client.findCompany('Pinnacle')
    expect(named.results.map(({ domain }) => domain)).toContain(house)
  })

  test('properties', async () => {
    expect(await client.lookupProperty(publisher)).toMatchObject({ publisher_domain: publisher })
    expect(await client.lookupProperty('nobody.example')).toBeNull()
    const many = await client.lookupProperties([publisher, 'nobody.example'])
    expect(many[publisher]).toMatchObject({ publisher_domain: publisher })
    expect(many['nobody.example']).toBeNull()
    expect((await client.listProperties({ limit: 3 })).properties).toHaveLength(3)
    expect(await client.domainsExist([publisher, 'nobody.example'])).toMatchObject({
      [publisher]: true,
      'nobody.example': false,
    })
    const byIdentifier = await client.lookupPropertyByIdentifier('domain', site)
    expect(byIdentifier).toMatchObject({ type: 'domain', value: site })
    expect(Number(byIdentifier.count)).toBeGreaterThan(0)
  })

  test('agents, operators and publishers', async () => {
    const { agents, count } = await client.listAgents({ health: true, capabilities: true })
    expect(agents).toHaveLength(count)
    expect(count).toBeGreaterThan(0)
    const { publishers } = await client.listPublishers()
    expect(publishers.length).toBeGreaterThan(10)
    expect(await client.getRegistryStats()).toMatchObject({ total_brands: expect.any(Number) })
    expect(await client.lookupOperator(house)).toMatchObject({ domain: house })
    const looked = await client.lookupPublisher(publisher)
    expect(looked?.authorized_agents.map(({ url }) => url)).toContain(agent)
    const byDomain = await client.lookupDomain(publisher)
    expect(byDomain.authorized_agents.map(({ url }) => url)).toContain(agent)
    const { domains } = await client.getAgentDomains(agent)
    expect(domains).toContain(publisher)
    const found = await client.searchAgents({ limit: 5 })
    expect(found.results.length).toBeGreaterThan(0)
    for (const { url, inventory_profile } of found.results) {
      expect(url).toMatch(/^https:/)
      expect(inventory_profile.channels).toEqual(expect.any(Array))
    }
  })

  test('manifests by reference', async () => {
    const found = await client.search('pinnacle')
    expect(found.brands.length + found.publishers.length).toBeGreaterThan(0)
    expect(await client.lookupManifestRef(house)).toMatchObject({ success: true, found: true })
    expect(await client.getBrandHistory({ domain: house })).toMatchObject({ domain: house })
    expect(await client.getPropertyHistory({ domain: publisher })).toMatchObject({ total: 0 })
    expect(await client.getBrandHistory({ domain: 'nobody.example' })).toBeNull()
  })

  test('authorizations', async () => {
    const answer = await client.validatePropertyAuthorization(agent, 'domain', site)
    expect(answer).toMatchObject({
      agent_url: agent,
      authorized: true,
      publisher_domain: publisher,
    })
    const stranger = 'https://nobody.example/mcp'
    const none = await client.validatePropertyAuthorization(stranger, 'domain', site)
    expect(none.authorized).toBe(false)
    const selectors = [{ publisher_domain: publisher }]
    const product = await client.validateProductAuthorization(agent, selectors)
    expect(product).toMatchObject({ agent_url: agent, selectors: expect.any(Array) })
    const expanded = await client.expandProductIdentifiers(agent, selectors)
    expect(Number(expanded.property_count)).toBeGreaterThan(0)
  })

  test('the change feed, page after page', async () => {
    const first = await client.getFeed({ limit: 10 })
    const second = await client.getFeed({ limit: 10, cursor: first.cursor! })
    const ids = [...first.events, ...second.events].map(({ event_id }) => event_id)
    expect(new Set(ids).size).toBe(20)
    expect(ids).toEqual([...ids].sort())
  })
})

describe('the public client saves', () => {
  beforeAll(async () => {
    await demo.runForOutput('org', 'domain', 'add', 'readers.example', '--org', 'Writers')
  })

  test('a brand and properties, and reads their history', async () => {
    const brand = { domain: 'readers.example', brand_name: 'Readers' }
    const made = await client.saveBrand(brand)
    expect(made.revision_number).toBeUndefined()
    expect(await client.saveBrand(brand)).toMatchObject({ id: made.id, revision_number: 2 })
    expect(await client.lookupBrand('readers.example')).toMatchObject({ source: 'community' })
    const properties = [{ type: 'website', name: 'Readers' }]
    const shop = { publisher_domain: 'shop.readers.example', authorized_agents: [], properties }
    expect(await client.saveProperty(shop)).toMatchObject({ success: true })
    expect(await client.lookupProperty('shop.readers.example')).toMatchObject({ properties })
    await expect(client.saveBrand({ ...brand, domain: house })).rejects.toThrow('409')
    await expect(client.saveBrand({ ...brand, domain: 'nobody.example' })).rejects.toThrow('403')
  })

  test('twenty edits at once, each once, with retries', async () => {
    const domain = 'busy.readers.example'
    const save = async (edit: number, brand_name = `Edit ${edit}`) => {
      const answer = await fetch(`${base}/api/brands/save`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${secret}`,
          'content-type': 'application/json',
          'idempotency-key': `edit-${edit}`,
        },
        body: JSON.stringify({ domain, brand_name }),
      })
      return { status: answer.status, body: (await answer.json()) as { revision_number?: number } }
    }
    const twice = [...Array(20).keys(), ...Array(20).keys()]
    const answers = await Promise.all(twice.map(edit => save(edit)))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    for (let edit = 0; edit < 20; edit++) expect(answers[edit]).toEqual(answers[edit + 20])
    const numbers = answers.slice(0, 20).map(({ body }) => body.revision_number ?? 1)
    expect(numbers.sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, i) => i + 1))
    expect((await save(7, 'Something else')).status).toBe(409)
    expect((await client.getBrandHistory({ domain }))?.total).toBe(20)
  })
})

describe('the public client checks', () => {
  test('files on the web', async () => {
    expect(await client.validateProperty(publisher)).toMatchObject({ valid: true })
    expect(await client.validateAdagents(publisher)).toMatchObject({ success: true, valid: true })
    expect(await client.validatePublisher(publisher)).toMatchObject({ valid: true })
    expect(await client.validateProperty('nobody.example')).toMatchObject({ valid: false })
  })

  test('a file that the registry creates', async () => {
    const authorized_agents = [
      {
        url: seller,
        authorized_for: 'all',
        authorization_type: 'property_tags',
        property_tags: ['all'],
      },
    ]
    const properties = [
      {
        property_type: 'website',
        name: 'Site',
        tags: ['all'],
        identifiers: [{ type: 'domain', value: 'site.example' }],
      },
    ]
    const made = await client.createAdagents({ authorized_agents, properties } as never)
    expect(made).toMatchObject({ success: true })
  })

  test('a list of domains, and reads the report again', async () => {
    const checked = await client.checkPropertyList([publisher, 'nobody.example'])
    expect(checked.summary).toMatchObject({ total: 2, ok: 1, assess: 1 })
    const report = await client.getPropertyCheckReport(checked.report_id)
    expect(report.summary).toEqual(checked.summary)
  })

  test('live agents', async () => {
    expect(await client.discoverAgent(seller)).toMatchObject({ type: 'sales' })
    const formats = await client.getAgentFormats(formatsAgent)
    expect(formats).toMatchObject({ success: true, formats: expect.any(Array) })
    const products = await client.getAgentProducts(seller)
    expect(products).toMatchObject({ success: true, products: expect.any(Array) })
  })
})

describe('the command line of the public client', () => {
  test.each([
    ['brand', () => [house], 'Pinnacle'],
    ['brands', () => [house, 'nobody.example'], 'Pinnacle'],
    ['brand-json', () => [house], house],
    ['enrich-brand', () => [house], 'manifest'],
    ['property', () => [publisher], () => publisher],
    ['properties', () => [publisher, 'nobody.example'], () => publisher],
    ['list-brands', () => ['--limit', '3'], ''],
    ['list-properties', () => ['--limit', '3'], ''],
    ['search', () => ['pinnacle'], ''],
    ['agents', () => ['--health'], 'https://'],
    ['publishers', () => [], '.example'],
    ['stats', () => [], 'total_brands'],
    ['validate', () => [publisher], 'PASS'],
    ['validate', () => ['nobody.example'], 'FAIL'],
    ['validate-publisher', () => [publisher], 'valid'],
    ['lookup', () => [publisher], () => agent],
    ['discover', () => [seller], 'sales'],
    ['agent-formats', () => [formatsAgent], ''],
    ['agent-products', () => [seller], ''],
    ['check-auth', () => [agent, 'domain', site], 'Authorized: Yes'],
  ] as [string, () => string[], string | (() => string)][])('%s', async (name, args, says) => {
    const { status, stdout } = await demo.run(name, ...args())
    expect(stdout).toContain(typeof says === 'string' ? says : says())
    expect(stdout).not.toMatch(/undefined|\[object Object\]/)
    expect(status).toBe(stdout.includes('FAIL') ? status : 0)
  })
})

describe('the examples of docs/clients.md', () => {
  const text = readFileSync(join(projectRoot, 'docs/clients.md'), 'utf8')
  const examples = [...text.matchAll(/```(js|python)\n([\s\S]*?)```\n```text\n([\s\S]*?)```/g)]
  /** In the checkout, so that it finds the client. */
  const script = join(projectRoot, `node_modules/.cache/clients-${process.pid}.mjs`)
  const hasRequests = spawnSync('python3', ['-c', 'import requests']).status === 0

  afterAll(() => rmSync(script, { force: true }))

  test.each(
    examples.map(([, language = '', code = '', printed = '']) => ({ language, code, printed })),
  )('in $language print what stands there', ({ language, code, printed }) => {
    if (language === 'python' && !hasRequests) return
    writeFileSync(script, code.replaceAll('http://127.0.0.1:3000', base))
    const program = language === 'python' ? 'python3' : process.execPath
    const env = { ...process.env, REGISTRY_KEY: secret }
    const { stdout, stderr } = spawnSync(program, [script], { encoding: 'utf8', env })
    expect([stdout, stderr]).toEqual([printed, ''])
  })

  test('are six', () => expect(examples).toHaveLength(6))
})

// What writes comes after what reads, in the same registry.
await import('./public-client-writes.ts')
