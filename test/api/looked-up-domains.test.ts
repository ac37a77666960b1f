import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
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
const lookups = [
  (domain: string) => `/api/brands/resolve?domain=${domain}`,
  (domain: string) => `/api/brands/brand-json?domain=${domain}`,
  (domain: string) => `/api/properties/resolve?domain=${domain}`,
  (domain: string) => `/api/registry/publisher?domain=${domain}`,
  (domain: string) => `/api/registry/lookup/domain/${domain}`,
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
    const domains = ['all', 'only-0', 'only-1', 'only-2', 'only-3', 'only-4']
    expect(registry.submitted).toEqual([
      {
        op: 'domains.add',
        again: false,
        why: 'demanded',
        domains: domains.map(name => `${name}.example`),
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
      index.all('select why, count(*)::integer as n from frontier group by why order by why'),
    )
    expect(counts).toEqual([
      { why: 'demanded', n: 18 },
      { why: 'given', n: 2 },
    ])
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
