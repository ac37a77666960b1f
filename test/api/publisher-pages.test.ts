import { load } from 'cheerio'
import { beforeAll, expect, test, vi } from 'vitest'
import { Database } from '../../pipeline/store/columnar/duckdb.ts'
import { storeBody } from '../../pipeline/writer/crawl/replace-documents.ts'
import { observeFile } from '../support/fixtures/observations.ts'
import { publishFiles } from '../support/fixtures/operator-files.ts'
import { openRegistry } from '../support/registry/app.ts'
import { openForAll } from '../support/runner/open-for-all.ts'
import { buildPointer, buildShop, buildWebsite, grantByIds } from '../support/worlds/nights.ts'

const AGENT = 'https://sales.example/mcp'
const MANAGER = 'manager.example'
const [JUST_NOW, ENDED, COMING] = [
  '2020-06-30T00:00:00Z',
  '2020-12-31T00:00:00Z',
  '2090-01-15T00:00:00Z',
]

const DAY = 24 * 3_600_000

const registry = openForAll(openRegistry)

/** Builds a file that authorizes the agent in entries with these windows. */
function buildWindows(domain: string, ...windows: object[]): object {
  return buildShop(domain, { authorized_agents: windows.map(more => grantByIds(AGENT, more)) })
}

beforeAll(async () => {
  await publishFiles(registry, {
    [MANAGER]: {
      ...buildWindows(MANAGER, {}),
      revoked_publisher_domains: [{ publisher_domain: 'gone.example', revoked_at: ENDED }],
    },
    'gone.example': buildPointer(MANAGER),
    'ended.example': buildWindows(
      'ended.example',
      { effective_until: ENDED },
      { effective_until: JUST_NOW },
    ),
    'coming.example': buildWindows('coming.example', { effective_from: COMING }),
    'other.example': buildWindows('other.example'),
    'open.example': buildWindows('open.example', {}),
  })
  await registry.publish()
})

test.each([
  '/publisher/open.example',
  `/agent/${encodeURIComponent(AGENT)}`,
  `/authorization?${new URLSearchParams({ agent: AGENT, publisher: 'open.example' })}`,
])('%s asks the columnar index nothing, but for the text of a file with issues', async path => {
  await registry.reader.snapshot?.agents
  const asked = vi.spyOn(Database.prototype, 'all')
  expect((await registry.app.inject(path)).statusCode).toBe(200)
  expect(asked.mock.calls.filter(([sql]) => !sql.includes('from documents'))).toEqual([])
  asked.mockRestore()
})

const open = async (path: string) => load((await registry.app.inject(path)).body)

test.each([
  ['gone.example', 'The file of manager.example lists this publisher as revoked'],
  ['ended.example', 'The authorization ended on 31 Dec 2020'],
  ['coming.example', 'The authorization starts on 15 Jan 2090'],
  [
    'other.example',
    'The adagents.json of other.example has no entry that authorizes this agent for this publisher',
  ],
])('that nobody can sell %s has the same reason everywhere', async (domain, reason) => {
  const asked = { agent_url: AGENT, domain }
  const ofPublisher = await open(`/authorization?${new URLSearchParams(asked)}`)
  expect(ofPublisher('.verdict').text()).toBe(`No${reason}.`)
  const { domain: identifier_value, ...agent } = asked
  const ofSite = await open(`/authorization?${new URLSearchParams({ ...agent, identifier_value })}`)
  expect(ofSite('.verdict p').text()).toBe(`${reason}.`)
  const shown = (await open(`/publisher/${domain}`))('#agents').text()
  expect(shown).toContain('No agent is authorized to sell this inventory.')
  const isOfPublisher = !reason.endsWith('for this publisher')
  const said = reason.replace('The authorization', '')
  expect(shown.includes(said)).toBe(isOfPublisher)
})

test('a property that an authorization repeats is counted, and called so', async () => {
  const domain = 'twice.example'
  const properties = [buildWebsite(domain, { property_id: undefined })]
  const inline = { authorization_type: 'inline_properties', properties }
  const agents = [{ url: AGENT, authorized_for: 'Display', ...inline }]
  await publishFiles(registry, { [domain]: buildShop(domain, { authorized_agents: agents }) })
  const page = await open(`/publisher/${domain}`)
  const names = page('#properties tbody th').toArray()
  expect(names.map(cell => page(cell).find('.quiet').text())).toEqual([
    '',
    'listed again in the file or in an authorization',
  ])
})

test('how a file was found contradicts nothing that is said of where it is served', async () => {
  const properties = [MANAGER, 'led.example', 'managed.example'].map(publisher_domain =>
    buildWebsite(publisher_domain, { publisher_domain }),
  )
  const shop = buildShop(MANAGER, { properties, authorized_agents: [grantByIds(AGENT)] })
  await publishFiles(registry, { [MANAGER]: shop, 'led.example': buildPointer(MANAGER) })
  await registry.observe(
    { kind: 'adagents.json', location: 'managed.example', outcome: 'absent', status: 404 },
    observeFile('ads.txt', 'managed.example', `managerdomain=${MANAGER}`, registry.clock.now()),
  )
  for (const [domain, way] of [
    ['led.example', 'own file, which points there'],
    ['managed.example', 'ads.txt, which names the manager'],
  ]) {
    const facts = (await open(`/publisher/${domain}`))('#file .facts').text()
    expect(facts).toContain(`Found byThe domain’s ${way}`)
    expect(facts.match(/points there|names the manager/g)).toHaveLength(1)
  }
})

test('a file whose last fetch failed still decides, and one that was never read does not', async () => {
  const fail = (location: string) =>
    registry.observe({ kind: 'adagents.json', location, outcome: 'timeout' })
  await publishFiles(registry, { 'kept.example': buildWindows('kept.example', {}) })
  await fail('kept.example')
  await fail('never-read.example')
  const agent_url = 'https://other-agent.example/mcp'
  const judge = async (domain: string) => {
    const page = await open(`/authorization?${new URLSearchParams({ agent_url, domain })}`)
    return page('.verdict').text()
  }
  expect(await judge('kept.example')).toBe(
    'NoThe adagents.json of kept.example has no entry that authorizes this agent for this publisher.',
  )
  expect(await judge('never-read.example')).toMatch(/^Unknown.*timed out/)
})

test.each(['adagents.json', 'brand.json'] as const)(
  'the pages of a domain count the issues of its %s as a check of it does',
  async kind => {
    const signing_keys = [{ kid: 'k', kty: 'OKP', crv: 'Ed25519', x: 'a'.repeat(43) }]
    const tags = { all: { name: 'All', description: 'Everything' } }
    const head = { $schema: 's', last_updated: JUST_NOW, tags }
    const build = (domain: string, ...windows: object[]) => ({
      ...head,
      ...buildWindows(domain, ...windows),
    })
    const brand = { id: 'b', names: [{ en: 'Brand' }] }
    const files =
      kind === 'brand.json'
        ? {
            'a.example': brand,
            'b.example': { ...brand, nmaes: 1 },
            'c.example': { ...brand, x: 1 },
          }
        : {
            'a.example': build('a.example', { signing_keys }),
            'b.example': build('b.example', {}),
            'c.example': build('c.example', {}, { effective_from: COMING }),
          }
    const isBrand = kind === 'brand.json'
    const toKey = (domain: string) => (isBrand ? `brand ${domain}` : domain)
    await publishFiles(
      registry,
      Object.fromEntries(Object.entries(files).map(([domain, file]) => [toKey(domain), file])),
    )
    const toPath = (domain: string) => `/${isBrand ? 'brand' : 'publisher'}/${domain}#file`
    const unknown = await open(toPath('a.example'))
    expect(unknown('#file').text()).toContain('Not checked for warnings.')
    await registry.publish()
    const { db } = registry.reader.snapshot!
    const counts: string[] = []
    for (const [location, file] of Object.entries(files)) {
      const sql = 'select hash from documents where kind = $kind and location = $location'
      const { hash } = (await db.one<{ hash: string }>(sql, { kind, location }))!
      storeBody(registry.reader.paths, hash, Buffer.from(JSON.stringify(file)))
      registry.clock.tick(DAY)
      const checked = await open(`/workshop?${new URLSearchParams({ domain: location, kind })}`)
      const count = /\d+ warnings?/.exec(checked('#verdict').text())?.[0] ?? 'No issues'
      const page = await open(toPath(location))
      expect([location, page('#file').text()]).toEqual([location, expect.stringContaining(count)])
      if (!isBrand) expect(page('.tiles').text()).toContain(count.toLowerCase())
      expect(page('#file .lines')).toHaveLength(count === 'No issues' ? 0 : 1)
      counts.push(count)
    }
    expect(counts[0]).toBe('No issues')
    expect(new Set(counts).size).toBeGreaterThan(1)
  },
)

test('a question about a host with several agents links to a question about each', async () => {
  const authorized_agents = ['a', 'b'].map(path => ({
    ...grantByIds(`https://shared.example/${path}`),
  }))
  const file = buildShop('two.example', { authorized_agents })
  await publishFiles(registry, { 'two.example': file })
  await registry.publish()
  const asked = { agent_url: 'https://shared.example', identifier_value: 'two.example' }
  const page = await open(`/authorization?${new URLSearchParams(asked)}`)
  expect(page('[role=alert] a').toArray()).toHaveLength(2)
  expect(page('[role=alert]').text()).toBe(
    'Several agents are at that address. Did you mean https://shared.example/a or https://shared.example/b?',
  )
})
