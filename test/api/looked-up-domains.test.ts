import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Operation } from '../../pipeline/model/submission.ts'
import { loadDueTargets } from '../../pipeline/writer/crawl/due-files.ts'
import { observeBrandFile } from '../support/fixtures/documents.ts'
import { openRegistry, type RegistryOptions, type TestRegistry } from '../support/registry/app.ts'

const registries: TestRegistry[] = []
// A second is over when the test says so.
beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(async () => {
  vi.useRealTimers()
  for (const registry of registries.splice(0)) await registry.close()
})

async function open(options: RegistryOptions = {}): Promise<TestRegistry> {
  const registry = await openRegistry(options)
  registries.push(registry)
  return registry
}

const aSecond = () => vi.advanceTimersByTimeAsync(1_000)
/** Waits until what was looked up is committed and shown. */
async function settle(registry: TestRegistry): Promise<void> {
  await aSecond()
  await registry.sequencer.quietly(async () => {})
  await registry.reader.refresh()
}
const agent = 'https://agent.example/mcp'
const lookups = [
  (domain: string) => `/api/brands/resolve?domain=${domain}`,
  (domain: string) => `/api/brands/brand-json?domain=${domain}`,
  (domain: string) => `/api/properties/resolve?domain=${domain}`,
  (domain: string) => `/api/registry/publisher?domain=${domain}`,
  (domain: string) => `/api/registry/lookup/domain/${domain}`,
  (domain: string) => `/api/registry/lookup/property?type=domain&value=${domain}`,
  (domain: string) => `/api/registry/publisher/authorization?agent=${agent}&domain=${domain}`,
  ...['', '&country=US'].map(
    terms => (domain: string) =>
      `/api/registry/validate/property-authorization?agent_url=${agent}&identifier_type=domain&identifier_value=${domain}${terms}`,
  ),
]

describe('a lookup of an unknown domain', () => {
  it('is submitted once, together with all others of that second', async () => {
    const registry = await open()
    for (const [i, lookup] of lookups.entries()) {
      await registry.app.inject(lookup('all.example'))
      await registry.app.inject(lookup(`only-${i}.example`))
    }
    expect(registry.submitted).toEqual([])
    await aSecond()
    const domains = ['all', ...lookups.map((_, i) => `only-${i}`)]
    expect(registry.submitted).toEqual([
      {
        op: 'domains.add',
        again: false,
        why: 'demanded',
        domains: domains.map(name => `${name}.example`),
        callers: domains.map(() => expect.stringMatching(/^[\w-]{4}$/)),
      },
    ])
    await registry.app.inject(lookups[0]!('all.example'))
    await aSecond()
    expect(registry.submitted).toHaveLength(1)
  })

  it.each(['', '&include=placements', '&limit=10', '&include=placements&limit=10'])(
    'of a publisher says once that the crawl was requested (query %s)',
    async more => {
      const registry = await open()
      const lookUp = async (domain: string) =>
        (await registry.app.inject(`/api/registry/publisher?domain=${domain}${more}`)).json()
      expect(await lookUp('new.example')).toMatchObject({
        auto_crawl_triggered: true,
        freshness: { state: 'never_crawled' },
      })
      expect(await lookUp('new.example')).not.toHaveProperty('auto_crawl_triggered')
      await aSecond()
      expect(registry.submitted).toMatchObject([{ domains: ['new.example'] }])
      expect(await lookUp('localhost.localdomain')).not.toHaveProperty('auto_crawl_triggered')
    },
  )

  it('is crawled before listed domains and marked as demanded', async () => {
    const registry = await open()
    const operation = {
      op: 'domains.add',
      domains: ['given.example'] as never,
      again: false,
    } as const
    await registry.submit(operation)
    await registry.app.inject(lookups[0]!('wanted.example'))
    await aSecond()
    const { index } = registry.sequencer
    const due = await registry.sequencer.quietly(() =>
      loadDueTargets(index, registry.clock.now(), 10),
    )
    expect(due.map(({ location }) => location)).toEqual([
      'wanted.example',
      'wanted.example',
      'given.example',
      'given.example',
    ])
    const why = await registry.sequencer.quietly(() =>
      index.all('select domain, why from frontier order by domain'),
    )
    expect(why).toEqual([
      { domain: 'given.example', why: 'given' },
      { domain: 'wanted.example', why: 'demanded' },
    ])
  })

  it('leaves a tenth of the frontier to submitted domains', async () => {
    const registry = await open({ settings: { FRONTIER_MAX: '20' } })
    for (let i = 0; i < 30; i++) await registry.app.inject(lookups[0]!(`d${i}.example`))
    await aSecond()
    const domains = ['a.example', 'b.example'] as never
    await registry.submit({ op: 'domains.add', domains: domains, again: false })
    const { index } = registry.sequencer
    const counts = await registry.sequencer.quietly(() =>
      index.all('select why, count(*) as n from frontier group by why order by why'),
    )
    expect(counts).toEqual([
      { why: 'demanded', n: 18 },
      { why: 'given', n: 2 },
    ])
  })
})

describe('a full frontier', () => {
  it('takes the place of what the caller with most looked up, and of none that was found or that others want', async () => {
    const registry = await open({ settings: { FRONTIER_MAX: '20' } })
    const lookFrom = (remoteAddress: string, domain: string) =>
      registry.app.inject({ url: lookups[0]!(domain), remoteAddress })
    const [ann, bob, flood] = ['192.0.2.1', '192.0.2.2', '192.0.2.66']
    for (let i = 0; i < 4; i++) await lookFrom(ann, `ann${i}.example`)
    await settle(registry)
    for (let i = 0; i < 30; i++) await lookFrom(flood, `d${i}.example`)
    await settle(registry)
    await registry.observe(observeBrandFile('d16.example', 'Found'))
    const submit = (operation: Operation) => registry.submit(operation)
    await submit({ op: 'domains.add', domains: ['d17.example'] as never, again: false })
    const also = { domains: ['d18.example'] as never, callers: ['eve'] }
    await submit({ op: 'domains.add', ...also, why: 'demanded', again: false })
    for (let i = 0; i < 4; i++) await lookFrom(bob, `bob${i}.example`)
    await settle(registry)
    const { index, accounts } = registry.sequencer
    const rows = await registry.sequencer.quietly(() =>
      index.all<{ domain: string }>('select domain from frontier order by domain'),
    )
    const ofFlood = [16, 17, 18, ...Array.from({ length: 7 }, (_, i) => 23 + i)]
    expect(rows.map(({ domain }) => domain)).toEqual(
      [
        ...[0, 1, 2, 3].flatMap(i => [`ann${i}.example`, `bob${i}.example`]),
        ...ofFlood.map(i => `d${i}.example`),
      ].sort(),
    )
    const shares = accounts.db.all(
      `select items from stranger_shares where kind = 'name' order by items`,
    )
    expect(shares).toEqual([{ items: 1 }, { items: 4 }, { items: 4 }, { items: 7 }])
    expect(await registry.verify()).toEqual([])
    await registry.restart()
    expect(await registry.verify()).toEqual([])
  })

  it('forgets the crawls of names that give way', async () => {
    const registry = await open({ settings: { FRONTIER_MAX: '10' } })
    const state = async (domain: string) =>
      (await registry.app.inject(lookups[0]!(domain))).json().freshness.state
    await state('gone.example')
    await settle(registry)
    const missing = { location: 'gone.example', outcome: 'absent', status: 404 } as const
    await registry.observe(
      { kind: 'brand.json', ...missing },
      { kind: 'adagents.json', ...missing },
      { kind: 'ads.txt', ...missing },
    )
    await settle(registry)
    expect(await state('gone.example')).not.toBe('never_crawled')
    for (let i = 0; i < 9; i++) await state(`d${i}.example`)
    await settle(registry)
    await settle(registry)
    expect(await state('gone.example')).toBe('never_crawled')
    expect(await registry.verify()).toEqual([])
  })
})

describe('nothing is submitted', () => {
  it('for crawled domains, known or not, for non-public names, and for bulk reads', async () => {
    const registry = await open()
    await registry.observe(observeBrandFile('known.example', 'Known'), {
      kind: 'brand.json',
      location: 'none.example',
      outcome: 'absent',
      status: 404,
    })
    // Stores are read as of a moment; a timer lets go of it.
    await aSecond()
    for (const domain of ['known.example', 'none.example', 'printer.local', 'a.b.internal']) {
      await registry.app.inject(lookups[0]!(domain))
    }
    const payload = { domains: ['bulk.example'] }
    for (const kind of ['brands', 'properties']) {
      await registry.app.inject({ method: 'POST', url: `/api/${kind}/resolve/bulk`, payload })
    }
    await aSecond()
    expect(registry.submitted).toEqual([])
  })

  it('beyond the bound per second', async () => {
    const registry = await open({ limits: { demandedDomains: 3 } })
    for (let i = 0; i < 10; i++) await registry.app.inject(lookups[0]!(`d${i}.example`))
    await aSecond()
    expect(registry.submitted).toMatchObject([
      { domains: ['d0.example', 'd1.example', 'd2.example'] },
    ])
  })

  it('of one caller in the place of another’s', async () => {
    const registry = await open({ limits: { demandedDomains: 3 } })
    const lookFrom = (remoteAddress: string, domain: string) =>
      registry.app.inject({ method: 'GET', url: lookups[0]!(domain), remoteAddress })
    for (let i = 0; i < 10; i++) await lookFrom('192.0.2.66', `d${i}.example`)
    await lookFrom('192.0.2.1', 'wanted.example')
    await aSecond()
    expect(registry.submitted).toMatchObject([
      { domains: ['d1.example', 'd2.example', 'wanted.example'] },
    ])
  })

  it('while nobody accepts it, and lookups continue', async () => {
    let isAway = true
    const taken: unknown[] = []
    const submit = async (operation: unknown) => {
      if (isAway) throw new Error('Cannot reach Redis')
      taken.push(operation)
      return { done: {} }
    }
    const registry = await open({ writer: { submit: submit as never } })
    expect((await registry.app.inject(lookups[0]!('a.example'))).statusCode).toBe(404)
    await aSecond()
    isAway = false
    expect((await registry.app.inject(lookups[0]!('a.example'))).statusCode).toBe(404)
    await aSecond()
    expect(taken).toMatchObject([{ domains: ['a.example'] }])
  })
})
