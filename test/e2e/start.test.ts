import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { RegistryClient } from '@adcp/sdk'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listExampleQueries } from '../../api/pages/cookbook.ts'
import { notRepeatable } from '../../api/reference/describe-examples.ts'
import { readExamples } from '../../api/reference/examples.ts'
import { Database } from '../../pipeline/store/columnar/duckdb.ts'
import {
  Command,
  type Environment,
  findFreePort,
  makeTemporaryFolder,
  runRegistry,
  waitUntil,
} from '../support/processes/command.ts'
import { describeProbedAgents } from './probed-agents.ts'

const folder = makeTemporaryFolder()
const env: Environment = { DATA_DIR: folder.path, REDIS_URL: undefined, LOG_LEVEL: 'warn' }
let base = ''
let start: Command
/** Duration of a start that crawls the demo internet and waits for its silent hosts. */
let firstMs: number

interface Answer {
  [field: string]: unknown
  freshness: { state: string; checked_at: string }
  properties: unknown[]
  events: unknown[]
}

async function get(path: string, headers: Record<string, string> = {}) {
  const response = await fetch(`${base}${path}`, { headers })
  return { status: response.status, body: (await response.json()) as Answer }
}

/** Lists processes that were started with this test's DATA_DIR or its Redis socket. */
function listProcessesLeft(): string[] {
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter(pid => {
      try {
        const environment = readFileSync(`/proc/${pid}/environ`, 'utf8')
        const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
        return environment.includes(`DATA_DIR=${folder.path}`) || command.includes(folder.path)
      } catch {
        return false
      }
    })
}

beforeAll(async () => {
  const port = await findFreePort()
  env.PORT = String(port)
  base = `http://127.0.0.1:${port}`
  const began = performance.now()
  start = new Command(['start'], env)
  await start.waitForOutput(/Agentic Ad Registry .*at /)
  expect((await fetch(`${base}/`)).status).toBe(200)
  expect(start.stdout).toMatch(/^This is the demo: /)
  expect(start.stdout).not.toContain('crawled')
  await start.waitForOutput(/^Ready\./m)
  expect(start.stdout).toMatch(
    /crawled \d+ domains[\s\S]*Pages worth opening:\n {2}http\S+\d\/ [\s\S]*Ready\./,
  )
  firstMs = performance.now() - began
})

afterAll(async () => {
  await start.interrupt()
  folder.remove()
})

describe('a first start crawls the demo internet', () => {
  test('the index holds its brands, publishers and agents', async () => {
    const { body } = await waitUntil(async () => {
      const stats = await get('/api/registry/stats')
      return Number(stats.body.discovered_publishers) > 200 && stats
    })
    expect(body.discovered_properties).toBeGreaterThan(400)
  })

  test('a house answers with its own document', async () => {
    const { body } = await get('/api/brands/resolve?domain=pinnacle-network.example')
    expect(body).toMatchObject({
      canonical_domain: 'pinnacle-network.example',
      source: 'brand_json',
      freshness: { state: 'current' },
    })
  })

  test('a publisher that points to the network answers with its own properties', async () => {
    const db = await Database.open(`${folder.path}/registry.duckdb`, { readOnly: true })
    const child = await db.one<{ domain: string }>(
      `select domain from publishers where manager_domain = 'pinnacle-network.example'
       and property_count > 0 order by domain limit 1`,
    )
    db.close()
    const { body } = await get(`/api/registry/publisher?domain=${child?.domain}`)
    expect(body).toMatchObject({
      discovery_method: 'authoritative_location',
      manager_domain: 'pinnacle-network.example',
    })
    expect(body.properties.length).toBeGreaterThan(0)
  })

  test.each(['managed-by-ads-txt.example', 'managed-behind-s3.example', 'managed-last-line.test'])(
    '%s has no file, and answers with the manager named in its ads.txt',
    async domain => {
      const body = await waitUntil(async () => {
        const answer = await get(`/api/registry/publisher?domain=${domain}`)
        return answer.body.discovery_method !== null && answer.body
      })
      expect(body).toMatchObject({
        adagents_valid: true,
        discovery_method: 'ads_txt_managerdomain',
        manager_domain: 'pinnacle-network.example',
        properties: [{ identifiers: [{ type: 'domain', value: domain }], status: 'active' }],
      })
    },
  )

  test.each([
    'declines-agents.example',
    'mentions-manager.example',
    'unknown-to-manager.example',
    'manages-itself.example',
    'failing-not-managed.example',
  ])('%s is not among the manager’s publishers', async domain => {
    const { body } = await get(`/api/registry/publisher?domain=${domain}`)
    expect(body).toMatchObject({ discovery_method: null, properties: [] })
  })

  test('examples of the API reference answer when they are pasted', async () => {
    const pasted = ['resolveBrand', 'getBrandJson', 'lookUpDomain', 'lookUpPublisher', 'search']
    const statuses = [...pasted, 'validatePropertyAuthorization', 'lookUpProperty'].map(
      async id => {
        const { status, body } = await get(readExamples()[id]!.request.url)
        return [id, status, JSON.stringify(body).includes('acme.example')]
      },
    )
    for (const found of await Promise.all(statuses)) expect(found).toEqual([found[0], 200, true])
  })

  test('examples that need no key answer with the status that they show', async () => {
    const repeatable = Object.entries(readExamples()).filter(
      ([id, { request }]) => !request.authorized && !(id in notRepeatable),
    )
    expect(repeatable.length).toBeGreaterThan(70)
    const wrong: unknown[] = []
    for (const [id, { request, status }] of repeatable) {
      const { url, headers, text, body } = request
      const sent = body === undefined ? text : JSON.stringify(body)
      const type = body === undefined ? {} : { 'content-type': 'application/json' }
      const answer = await fetch(`${base}${url}`, {
        redirect: 'manual',
        headers: { ...type, ...headers },
        ...(sent !== undefined && { method: 'POST', body: sent }),
      })
      await answer.body?.cancel()
      if (answer.status !== status) wrong.push([id, answer.status])
    }
    expect(wrong).toEqual([])
  })

  test('a brand with only a home page is read there', async () => {
    const { status, body } = await get('/api/brands/enrich?domain=only-a-home-page.example')
    expect([status, body]).toMatchObject([
      200,
      { source_type: 'enriched', manifest: { name: 'Only A Home Page' } },
    ])
  })

  test('absent and never requested are told apart', async () => {
    const never = await get('/api/brands/resolve?domain=nobody-asked.example')
    expect(never).toMatchObject({ status: 404, body: { freshness: { state: 'never_crawled' } } })
    const gone = await get('/api/brands/resolve?domain=dirt-status-410.example')
    expect(gone).toMatchObject({ status: 404, body: { freshness: { state: 'absent' } } })
  })

  test('all stores agree while the registry runs', async () => {
    const { status, stdout } = await runRegistry(['verify'], env)
    expect(stdout).toBe('All stores agree.\n')
    expect(status).toBe(0)
  })

  test('a second start on the same folder reports the running one', async () => {
    const { status, stderr } = await runRegistry(['start'], env)
    expect(stderr).toContain(`already running at ${base}, process ${start.child.pid}`)
    expect(status).toBe(1)
  })

  test('only its user can read the key that encrypts credentials of agents', () => {
    const file = `${folder.path}/accounts/demo-credentials-key`
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  test('only its user can read where it runs: the address of Redis may contain a password', () => {
    expect(statSync(`${folder.path}/run.json`).mode & 0o777).toBe(0o600)
  })
})

describe('agents of the demo internet', () => {
  const discover = (task: string, agent: string) =>
    get(`/api/public/${task}?url=${encodeURIComponent(agent)}`)

  test.each([
    ['https://sales.pinnacle-network.example/mcp', 'create_media_buy'],
    ['https://data.meadow-signals.example/mcp', 'activate_signal'],
    ['https://studio.inkwell-creative.example/mcp', 'sync_creatives'],
    ['https://policy.plain-sight.example/governance/mcp', 'report_plan_outcome'],
    ['https://identity.brand-hall.example/mcp', 'get_brand_identity'],
  ])('are tenants of the reference agent: %s offers %s by both transports', async (url, task) => {
    const { status, body } = await discover('discover-agent', url)
    expect(status).toBe(200)
    expect(body).toMatchObject({ protocols: ['mcp', 'a2a'] })
    expect(JSON.stringify(body.tools)).toContain(task)
  })

  test('sell what publishers of the demo internet let them sell', async () => {
    const seller = 'https://sales.pinnacle-network.example/mcp'
    const { body } = await discover('agent-products', seller)
    expect(body.products).toHaveLength(11)
    const { body: publisher } = await get('/api/registry/publisher?domain=summit-sports.example')
    expect(publisher.authorized_agents).toMatchObject([{ url: seller, publisher_wide: true }])
  })

  test('make formats that belong to the creative agent of the demo', async () => {
    const studio = 'https://studio.inkwell-creative.example/mcp'
    const { body } = await discover('agent-formats', 'https://sales.pinnacle-network.example/mcp')
    expect(JSON.stringify(body.formats)).toContain(`"agent_url":"${studio}"`)
    expect((await discover('agent-formats', studio)).body.formats).toHaveLength(16)
  })

  test('are answered, measured and checked at the printed address too', async () => {
    const [, agent] =
      /Reference agent at (http:\/\/[^/]+)\/sales\/mcp, with the public token public-test-token/.exec(
        start.stdout,
      ) ?? []
    expect(await (await fetch(`${agent}/healthz`)).json()).toEqual({ status: 'ok' })
    const [, operator] = /Operator’s page \(metrics, health\): (\S+)/.exec(start.stdout) ?? []
    expect(await (await fetch(`${operator}metrics`)).text()).toContain(
      'registry_agent_calls_total{tenant="sales",task="get_products",code="ok"}',
    )
  })
})

describe('members of the demo internet', () => {
  const agents = async (query: string, headers: Record<string, string> = {}) =>
    (await get(`/api/registry/agents${query}`, headers)).body.agents as unknown as {
      url: string
      health?: { status: string }
      capabilities?: Record<string, unknown>
    }[]

  test('have public agents, which are probed', async () => {
    const found = await waitUntil(async () => {
      const all = await agents('?health=true&capabilities=true')
      return all.length > 0 && all.every(agent => agent.health?.status === 'online') && all
    })
    expect(found.map(({ url }) => url)).toEqual([
      'https://sales.pinnacle-network.example/mcp',
      'https://studio.inkwell-creative.example/mcp',
      'https://verify.true-meter.example/mcp',
      'https://metrics.bright-gauge.example/mcp',
    ])
    expect(await agents('?metric_id=viewability&accreditation=Meter+Council')).toMatchObject([
      { url: 'https://verify.true-meter.example/mcp' },
    ])
    expect(await agents('?format_kind=image&creative_operation=preview')).toMatchObject([
      { url: 'https://studio.inkwell-creative.example/mcp' },
    ])
  })

  test('operate them at their domain, and publishers authorize them', async () => {
    const { body } = await get('/api/registry/operator?domain=www.pinnacle-network.example')
    expect(body).toMatchObject({
      member: { slug: 'pinnacle-network', is_founding_member: true },
      agents: [{ url: 'https://sales.pinnacle-network.example/mcp', type: 'sales' }],
    })
    const hidden = await get('/api/registry/operator?domain=north-buy.example')
    expect(hidden.body).toMatchObject({ member: { slug: 'north-buy' }, agents: [] })
  })

  test('show some of them to members with API access only', async () => {
    const name = 'Meadow Signals'
    const { stdout } = await runRegistry(['key', 'create', '--org', name], env)
    const memberAgents = await agents('?type=signals', {
      authorization: `Bearer ${stdout.trim()}`,
    })
    expect(memberAgents).toMatchObject([{ url: 'https://data.meadow-signals.example/mcp' }])
    expect(await agents('?type=signals')).toEqual([])
  })
})

describe('the public client', () => {
  test('looks up brands, properties and agents, and gets null for unknown ones', async () => {
    const client = new RegistryClient({ baseUrl: base })
    const domain = 'pinnacle-network.example'
    expect(await client.lookupBrand(domain)).toMatchObject({ canonical_domain: domain })
    expect(await client.lookupBrand('nobody.example')).toBeNull()
    expect(await client.lookupBrands([domain, 'nobody.example'])).toMatchObject({
      [domain]: { canonical_id: domain },
      'nobody.example': null,
    })
    expect((await client.listBrands({ limit: 3 })).brands).toHaveLength(3)
    expect((await client.listProperties({ limit: 3 })).properties).toHaveLength(3)
    const owned = await client.lookupProperty('many-sellers.example')
    expect(owned?.authorized_agents?.length).toBeGreaterThan(20)
    const agents = await client.lookupDomain('many-sellers.example')
    expect(agents.authorized_agents?.length).toBeGreaterThan(20)
  })

  test('lists agents and publishers, and looks up operators', async () => {
    const client = new RegistryClient({ baseUrl: base })
    const { agents, count } = await client.listAgents({ type: 'sales', health: true })
    expect([agents.length, count]).toEqual([1, 1])
    expect((await client.listPublishers()).publishers.length).toBeGreaterThan(200)
    const operator = await client.lookupOperator('pinnacle-network.example')
    expect(operator?.agents[0]?.authorized_by.length).toBeGreaterThan(0)
  })
})

describe('agents of the demo internet, once each was probed', () => describeProbedAgents(env))

describe('README.md', () => {
  const asked = readFileSync('README.md', 'utf8').split('## Query it')[1]!
  const listBlocks = (language: string) =>
    Array.from(
      asked.matchAll(new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``, 'g')),
      ([, text]) => text!,
    )

  const hasJq = spawnSync('jq', ['--version']).status === 0

  test.skipIf(!hasJq)('shows the real answers to its calls, in their order', () => {
    const script = listBlocks('sh')
      .join('')
      .replace('REGISTRY=http://127.0.0.1:3000', `REGISTRY=${base}`)
      .replace('DATA_DIR=data/var/demo', `DATA_DIR=${folder.path}`)
      .replaceAll('Acme', 'Readers')
    const { status, stdout, stderr } = spawnSync('bash', ['-eu', '-o', 'pipefail', '-c', script], {
      env: { PATH: process.env.PATH, HOME: process.env.HOME, LOG_LEVEL: 'error' },
      encoding: 'utf8',
    })
    expect(status, stderr).toBe(0)
    // The id of the organization that is made is another each time.
    expect(stdout.replaceAll(/^[0-9a-f-]{36}\n/gm, '')).toBe(listBlocks('json').join(''))
  })
})

describe('an analyst', () => {
  test('runs every example query in a second process while the registry runs', async () => {
    const db = await Database.open(`${folder.path}/registry.duckdb`, {
      readOnly: true,
      isForAnalysts: true,
    })
    const empty: string[] = []
    for (const { question, sql } of listExampleQueries())
      if ((await db.all(sql)).length === 0) empty.push(question)
    // What publishers granted when they were first read is no change of the week.
    expect(empty).toEqual([expect.stringContaining('last seven days')])
    db.close()
  })

  test('finds the tables as Parquet', async () => {
    const db = await Database.open(':memory:')
    const rows = await waitUntil(async () => {
      const row = await db.one<{ n: number; days: number }>(
        `select count(*) as n, count(distinct day) as days
           from read_parquet('${folder.path}/parquet/properties/*/*.parquet', hive_partitioning = true)`,
      )
      return row && row.n > 0 && row
    })
    db.close()
    // Two where midnight passed since the start.
    expect([1, 2]).toContain(rows.days)
  })

  test('finds no email address and no name of a person in any public table', async () => {
    const db = await Database.open(`${folder.path}/registry.duckdb`, { readOnly: true })
    const found = await db.all(
      `select location from documents where regexp_matches(document::varchar, '[a-z0-9._]+@[a-z0-9-]+\\.[a-z]')`,
    )
    db.close()
    expect(found).toEqual([])
  })
})

describe('a key', () => {
  let secret = ''

  test('is created by command line while the registry runs, and opens the feed', async () => {
    await runRegistry(['org', 'create', '--name', 'Acme'], env)
    secret = (
      await runRegistry(['key', 'create', '--org', 'Acme', '--label', 'test'], env)
    ).stdout.trim()
    expect(secret).toMatch(/^sk_/)
    const { status, body } = await get('/api/registry/feed?limit=5', {
      authorization: `Bearer ${secret}`,
    })
    expect(status).toBe(200)
    expect(body.events).toHaveLength(5)
  })

  test('lets its owner request a crawl, which is done soon', async () => {
    const before = await get('/api/brands/resolve?domain=pinnacle-network.example')
    const response = await fetch(`${base}/api/registry/crawl-request`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: JSON.stringify({ domain: 'Pinnacle-Network.example' }),
    })
    expect(response.status).toBe(202)
    await waitUntil(async () => {
      const { body } = await get('/api/brands/resolve?domain=pinnacle-network.example')
      return body.freshness.checked_at > before.body.freshness.checked_at
    })
  })

  test('is refused after its revocation', async () => {
    const { stdout } = await runRegistry(['key', 'list', '--org', 'Acme', '--json'], env)
    await runRegistry(['key', 'revoke', JSON.parse(stdout)[0].key_id, '--org', 'Acme'], env)
    const { status } = await get('/api/registry/feed', { authorization: `Bearer ${secret}` })
    expect(status).toBe(401)
  })
})

describe('stopping and starting again', () => {
  test('Ctrl-C says that it stops, ends every process, and all stores agree', async () => {
    const stopped = start.interrupt()
    await start.waitForOutput(/^Stopping\. .* press Ctrl-C again to stop at once\.\n/m)
    await stopped
    expect(listProcessesLeft()).toEqual([])
    expect((await runRegistry(['verify'], env)).stdout).toBe('All stores agree.\n')
  })

  test('a second start is ready within seconds from the index on disk', async () => {
    const began = performance.now()
    start = new Command(['start'], env)
    await start.waitForOutput(/^Ready\./m)
    expect(start.stdout).not.toContain('crawled')
    expect(performance.now() - began).toBeLessThan(firstMs)
    expect((await get('/api/brands/resolve?domain=pinnacle-network.example')).status).toBe(200)
  })
})
