import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import { REDIS_PREFIX } from '../../jobs/redis.ts'
import { measureCpuMs } from '../support/checks/measured-work.ts'
import { observePublisherFile } from '../support/fixtures/documents.ts'
import { startRedis, type TestRedis } from '../support/processes/redis.ts'
import { openRegistry, type TestRegistry } from '../support/registry/app.ts'
import { openForAll } from '../support/runner/open-for-all.ts'

const DAY = 24 * 3_600_000
const redis = openForAll(startRedis)
let registry: TestRegistry
const registries: TestRegistry[] = []

async function open(limits: Record<string, number> = {}, over: TestRedis | undefined = redis) {
  const own = await openRegistry({ limits, ...(over && { redis: over.redis }) })
  registries.push(own)
  return own
}

beforeAll(async () => {
  registry = await open()
  const agents = ['https://agent.example/mcp']
  await registry.observe(
    observePublisherFile('acme.example', { sites: ['acme.example', 'shop.acme.example'], agents }),
  )
  await registry.publish()
})

afterAll(async () => {
  for (const registry of registries) await registry.close()
})

const post = (url: string, payload: object, at = registry) =>
  at.app.inject({ method: 'POST', url, payload })
const check = (domains: unknown, at = registry) =>
  post('/api/properties/check', { domains } as object, at)
const bulk = (identifiers: unknown, at = registry) =>
  post('/api/properties/check/bulk', { identifiers } as object, at)

describe('POST /api/properties/check', () => {
  it('200: each domain in its list, in the given order', async () => {
    const answer = await check([
      'https://www.ACME.example/about',
      'acme.example.',
      'shop.acme.example',
      'm.unknown.example',
      'ads.g.doubleclick.net',
      'other.example',
      7,
      '',
      '  ',
    ])
    expect(answer.statusCode).toBe(200)
    const { report_id, ...report } = answer.json()
    expect(report_id).toMatch(/^[0-9a-f-]{36}$/)
    expect(report).toEqual({
      summary: { total: 9, remove: 2, modify: 2, assess: 2, ok: 2 },
      remove: [
        { input: 'acme.example.', canonical: 'acme.example', reason: 'duplicate' },
        {
          input: 'ads.g.doubleclick.net',
          canonical: 'ads.g.doubleclick.net',
          reason: 'blocked',
          domain_type: 'ad_server',
          blocked_reason: 'doubleclick.net is ad-serving infrastructure, not inventory',
        },
      ],
      modify: [
        {
          input: 'https://www.ACME.example/about',
          canonical: 'acme.example',
          reason: 'www_stripped',
        },
        { input: 'm.unknown.example', canonical: 'unknown.example', reason: 'm_stripped' },
      ],
      assess: [{ domain: 'unknown.example' }, { domain: 'other.example' }],
      ok: [
        { domain: 'acme.example', source: 'adagents_json' },
        { domain: 'shop.acme.example', source: 'catalog' },
      ],
    })
  })

  it('200: an empty list is checked as well', async () => {
    expect((await check([])).json().summary.total).toBe(0)
  })

  it('200: an overlong domain counts as unknown', async () => {
    const name = 'x'.repeat(60_000)
    expect((await check([name])).json()).toMatchObject({ assess: [{ domain: name }], ok: [] })
  })

  it('200: ten thousand domains, within the bound of an answer', async () => {
    const domains = Array.from({ length: 10_000 }, (_, i) => `www.${'x'.repeat(55)}${i}.example`)
    let answer = await check([])
    const ms = await measureCpuMs(async () => {
      answer = await check(domains)
    })
    expect(ms).toBeLessThan(5_000)
    expect(answer.body.length).toBeLessThan(2 * 1024 * 1024)
    expect(answer.json().summary).toMatchObject({ total: 10_000, modify: 10_000, assess: 10_000 })
  })

  test.each([[undefined], ['acme.example'], [{}], [null], [Array(10_001).fill('a.example')]])(
    '400: %#',
    async domains => {
      const answer = await check(domains)
      expect([answer.statusCode, answer.json().error]).toEqual([
        400,
        expect.stringMatching(/^`domains` /),
      ])
    },
  )
})

describe('POST /api/properties/check/bulk', () => {
  it('200: each line by its kind, repeats included', async () => {
    const { report_id, ...report } = (
      await bulk([
        'acme.example',
        'www.acme.example',
        'shop.acme.example',
        'other.example',
        '# a remark',
        '',
        'com.acme.app',
        '123456',
        'ROKU,9',
        'apple_app_store,com.acme',
        'what is this',
        'adnxs.com',
      ])
    ).json()
    expect(report_id).toBeDefined()
    expect(report.summary).toEqual({
      total: 12,
      ready: 2,
      known: 1,
      ad_infra: 1,
      unknown: 5,
      skipped: 3,
    })
    const rid = expect.stringMatching(/^[0-9a-f-]{36}$/)
    const known = { classification: 'property', source: 'authoritative', property_rid: rid }
    const nothing = { classification: null, source: null, property_rid: null }
    const domain = (value: string) => ({ type: 'domain', value })
    expect(report.entries).toEqual([
      {
        input: 'acme.example',
        identifier: domain('acme.example'),
        verdict: 'ready',
        ...known,
        action: 'use',
      },
      {
        input: 'www.acme.example',
        identifier: domain('acme.example'),
        verdict: 'ready',
        ...known,
        action: 'use',
      },
      {
        input: 'shop.acme.example',
        identifier: domain('shop.acme.example'),
        verdict: 'known',
        ...known,
        action: 'verify',
      },
      {
        input: 'other.example',
        identifier: domain('other.example'),
        verdict: 'unknown',
        ...nothing,
        action: 'assess',
      },
      ...[
        ['com.acme.app', 'android_package', 'com.acme.app'],
        ['123456', 'apple_app_store_id', '123456'],
        ['ROKU,9', 'roku_store_id', '9'],
        ['apple_app_store,com.acme', 'ios_bundle', 'com.acme'],
      ].map(([input, type, value]) => ({
        input,
        identifier: { type, value },
        verdict: 'unknown',
        ...nothing,
        action: 'assess',
      })),
      {
        input: 'adnxs.com',
        identifier: domain('adnxs.com'),
        verdict: 'ad_infra',
        ...nothing,
        classification: 'ad_infra',
        action: 'remove',
      },
    ])
  })

  it('200: ten thousand lines, cut to the bound of an answer', async () => {
    const lines = Array.from({ length: 10_000 }, (_, i) => `${'x'.repeat(55)}${i}.example`)
    const answer = await bulk(lines)
    expect(answer.body.length).toBeLessThan(2 * 1024 * 1024)
    expect(answer.json()).toMatchObject({
      summary: { unknown: 10_000 },
      entries_total: 10_000,
      entries_truncated: true,
    })
  })

  test.each([[undefined], [['a.example', 3]], [{}], [Array(10_001).fill('a.example')]])(
    '400: %#',
    async identifiers => {
      expect((await bulk(identifiers)).statusCode).toBe(400)
    },
  )
})

describe('reports', () => {
  const read = (id: string, at = registry) => at.app.inject(`/api/properties/check/${id}`)
  const readBulk = (id: string, at = registry) => at.app.inject(`/api/properties/check/bulk/${id}`)

  it('200: the same report for everybody with its id, in every process', async () => {
    const { report_id, ...report } = (await check(['acme.example', 'x.example'])).json()
    const other = await open()
    expect((await read(report_id, other)).json()).toEqual(report)
    const { report_id: id, ...entries } = (await bulk(['acme.example'])).json()
    expect((await readBulk(id, other)).json()).toEqual(entries)
  })

  it('200: a report that is too long for one answer continues by cursor', async () => {
    const names = Array.from({ length: 10_000 }, (_, i) => `${'x'.repeat(55)}${i}.example`)
    const readPages = async (first: { json(): unknown }, at: (id: string) => string) => {
      const pages = [first.json() as Record<string, unknown>]
      const { report_id } = pages[0]!
      for (let end = pages[0]!.next_cursor; end !== null; end = pages.at(-1)!.next_cursor) {
        const answer = await registry.app.inject(`${at(String(report_id))}?cursor=${end}`)
        expect(answer.statusCode, answer.body.slice(0, 200)).toBe(200)
        expect(answer.body.length).toBeLessThan(2 * 1024 * 1024)
        pages.push(answer.json())
      }
      expect(pages.length).toBeGreaterThan(1)
      return (name: string) => pages.flatMap(page => page[name] as Record<string, string>[])
    }
    const lines = await readPages(await bulk(names), id => `/api/properties/check/bulk/${id}`)
    expect(lines('entries').map(({ input }) => input)).toEqual(names)
    const spelled = names.flatMap(name => [`www.${name}`, name])
    const first = await check(spelled.slice(0, 10_000))
    expect(first.json()).toMatchObject({ modify_total: 5_000, modify_truncated: true })
    const domains = await readPages(first, id => `/api/properties/check/${id}`)
    const identifiers = spelled.slice(0, 10_000)
    expect(domains('modify').map(({ input }) => input)).toEqual(
      identifiers.filter(name => name.startsWith('www.')),
    )
    expect(domains('assess')).toHaveLength(5_000)
    expect(domains('remove')).toHaveLength(5_000)
  })

  it('404: an id of the other kind, an unknown or an invalid one', async () => {
    const { report_id } = (await check(['acme.example'])).json()
    expect((await readBulk(report_id)).statusCode).toBe(404)
    for (const id of [randomUUID(), 'bulk', 'x', '..%2f', '*', `${'a'.repeat(300)}`]) {
      expect([id, (await read(id)).statusCode]).toEqual([id, 404])
    }
  })

  it('expire after seven days', async () => {
    const own = await startRedis()
    const at = await open({}, own)
    const { report_id } = (await check(['acme.example'], at)).json()
    const left = await own.redis.pttl(`${REDIS_PREFIX}:report:domains:${report_id}`)
    expect(left).toBeGreaterThan(7 * DAY - 60_000)
    expect(left).toBeLessThanOrEqual(7 * DAY)
    at.clock.tick(8 * DAY)
    await check(['b.example'], at)
    expect((await read(report_id, at)).statusCode).toBe(404)
    await own.close()
  })

  it('share a bounded space; the oldest are deleted first', async () => {
    const own = await startRedis()
    const at = await open({ checkReportsBytes: 6_000 }, own)
    const ids: string[] = []
    for (let i = 0; i < 20; i++) {
      at.clock.tick(1)
      ids.push((await check([`d${i}.example`], at)).json().report_id)
    }
    const found = await Promise.all(ids.map(async id => (await read(id, at)).statusCode))
    expect(found.lastIndexOf(404)).toBe(found.indexOf(200) - 1)
    expect(found.at(-1)).toBe(200)
    const sizes = await own.redis.hgetall(`${REDIS_PREFIX}:reports:size`)
    const { total, ...each } = sizes
    const sum = Object.values(each).reduce((all, size) => all + Number(size), 0)
    expect(sum).toBe(Number(total))
    expect(sum).toBeLessThanOrEqual(6_000)
    await own.close()
  })

  it('of a caller who stores most give way, and nobody else’s', async () => {
    const own = await startRedis()
    const at = await open({ checkReportsBytes: 20_000 }, own)
    const checkFrom = async (remoteAddress: string, domains: string[]) => {
      at.clock.tick(1)
      const url = '/api/properties/check'
      const answer = await at.send('POST', url, { payload: { domains }, remoteAddress })
      return answer.json().report_id as string
    }
    const ofAnn = await checkFrom('192.0.2.1', ['acme.example'])
    // 156 checks of one address in 22 seconds deleted everybody's reports.
    const ofMallory: string[] = []
    for (let i = 0; i < 156; i++) ofMallory.push(await checkFrom('192.0.2.66', [`d${i}.example`]))
    const ofBob = await checkFrom('192.0.2.2', ['acme.example', 'b.example'])
    for (const id of [ofAnn, ofBob, ofMallory.at(-1)!])
      expect((await read(id, at)).statusCode).toBe(200)
    expect((await read(ofMallory[0]!, at)).statusCode).toBe(404)
    // Who they are of is not stored.
    const lists = await Promise.all(
      (await own.redis.keys('*')).map(async key => [
        key,
        (await own.redis.type(key)) === 'hash' ? await own.redis.hgetall(key) : '',
      ]),
    )
    expect(JSON.stringify(lists)).not.toContain('192.0.2')
    await own.close()
  })

  it('are not stored without Redis: the check has no id, reading one is 503', async () => {
    const own = await startRedis()
    const at = await open({}, own)
    await own.stop()
    const answer = await check(['acme.example'], at)
    expect([answer.statusCode, answer.json().report_id]).toEqual([200, undefined])
    expect((await read(randomUUID(), at)).statusCode).toBe(503)
    await own.close()
  })
})
