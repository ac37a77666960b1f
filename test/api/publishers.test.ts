import { beforeAll, describe, expect, test } from 'vitest'
import { observePublisherFile } from '../support/fixtures/documents.ts'
import { openRegistry } from '../support/registry/app.ts'
import { enrol } from '../support/registry/members.ts'
import { openForAll } from '../support/runner/open-for-all.ts'
import { START } from '../support/worlds/clock.ts'

const registry = openForAll(openRegistry)
const agent = 'https://agent.acme.example/mcp'

beforeAll(async () => {
  await enrol(registry, {
    org: 'Acme',
    tier: 'company_icl',
    domains: ['a.example', 'elsewhere.example'],
    agents: [{ url: agent }, { url: 'https://b.acme.example', visibility: 'members_only' }],
  })
  await enrol(registry, { org: 'Shy', tier: 'company_icl', public: false, domains: ['b.example'] })
  await registry.observe(
    ...['a', 'b', 'c', 'd'].map(name =>
      observePublisherFile(`${name}.example`, { sites: [`${name}.example`], agents: [agent] }),
    ),
    { kind: 'adagents.json', location: 'none.example', outcome: 'absent', status: 404 },
  )
  await registry.publish()
})

interface Page {
  publishers: { domain: string }[]
  count: number
  total: number
  next_cursor: string | null
}

const get = (url: string, over = registry) => over.app.inject(url)

describe('GET /api/registry/publishers', () => {
  test('200: every publisher with a valid file, and the public member behind it', async () => {
    const answer = await get('/api/registry/publishers')
    expect(answer.headers['x-registry-seq']).toBe(String(registry.reader.snapshot?.seq))
    const last_validated = new Date(START).toISOString()
    const entry = (domain: string, more = {}) => ({
      domain,
      agent_count: 1,
      last_validated,
      has_valid_adagents: true,
      ...more,
    })
    expect(answer.json()).toEqual({
      publishers: [
        entry('a.example', { member: { slug: 'acme', display_name: 'Acme' } }),
        ...['b.example', 'c.example', 'd.example'].map(domain => entry(domain)),
      ],
      count: 4,
      total: 4,
      has_more: false,
      next_cursor: null,
    })
  })

  test('200: the cursor leads to each publisher once', async () => {
    const domains: string[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const answer = await get(`/api/registry/publishers?limit=3&cursor=${cursor}`)
      const page: Page = answer.json()
      expect([page.count, page.total]).toEqual([page.publishers.length, 4])
      domains.push(...page.publishers.map(({ domain }) => domain))
      cursor = page.next_cursor
    }
    expect(domains).toEqual(['a.example', 'b.example', 'c.example', 'd.example'])
  })

  test('200: a publisher without its file is no longer listed', async () => {
    const own = await openRegistry()
    expect((await get('/api/registry/publishers', own)).json()).toMatchObject({ count: 0 })
    const file = observePublisherFile('a.example', { sites: ['a.example'], agents: [] })
    await own.observe(file)
    await own.publish()
    expect((await get('/api/registry/publishers', own)).json()).toMatchObject({ count: 1 })
    own.clock.tick(1_000)
    await own.observe({ kind: 'adagents.json', location: 'a.example', outcome: 'absent' })
    await own.publish()
    expect((await get('/api/registry/publishers', own)).json()).toMatchObject({ count: 0 })
    await own.close()
  })

  test('400: an invalid limit', async () => {
    expect((await get('/api/registry/publishers?limit=x')).statusCode).toBe(400)
  })
})

describe('members in other answers', () => {
  test('the publisher lookup names a public member, and its ETag covers that', async () => {
    const own = await openRegistry()
    await own.observe(observePublisherFile('a.example', { sites: ['a.example'], agents: [agent] }))
    const ask = async (tag?: string) =>
      own.app.inject({
        url: '/api/registry/publisher?domain=a.example',
        ...(tag && { headers: { 'if-none-match': tag } }),
      })
    const before = await ask()
    expect(before.json().member).toBeNull()
    expect((await ask(before.headers.etag as string)).statusCode).toBe(304)
    await enrol(own, { org: 'Acme', domains: ['a.example'] })
    const after = await ask(before.headers.etag as string)
    expect([after.statusCode, after.json().member]).toEqual([
      200,
      { slug: 'acme', display_name: 'Acme' },
    ])
    expect((await ask(after.headers.etag as string)).statusCode).toBe(304)
    await own.submit({ op: 'member.update', org: 'Acme', is_public: false })
    expect((await ask(after.headers.etag as string)).json().member).toBeNull()
    await own.close()
  })

  test('a domain that is no publisher, and a subdomain of a verified one', async () => {
    const member = async (domain: string) =>
      (await get(`/api/registry/publisher?domain=${domain}`)).json().member
    expect(await member('elsewhere.example')).toMatchObject({ slug: 'acme' })
    expect(await member('www.a.example')).toBeNull()
    const placements = await get('/api/registry/publisher?domain=a.example&include=placements')
    expect(placements.json()).toMatchObject({ member: { slug: 'acme' }, placements: [] })
  })

  test('the lookup of a domain names the member of a public agent', async () => {
    const answer = await get('/api/registry/lookup/domain/c.example')
    expect(answer.json()).toMatchObject({
      authorized_agents: [{ url: agent, member: { slug: 'acme', display_name: 'Acme' } }],
      freshness: { state: 'current' },
    })
    const again = await registry.send('GET', '/api/registry/lookup/domain/c.example', {
      headers: { 'if-none-match': answer.headers.etag as string },
    })
    expect(again.statusCode).toBe(304)
  })

  test('the registry counts public agents and publishers of its members', async () => {
    expect((await get('/api/registry/stats')).json()).toMatchObject({
      registered_agents: 1,
      registered_publishers: 1,
      discovered_publishers: 4,
    })
  })
})
