import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll, beforeEach, describe, expect, it, test } from 'vitest'
import { toCaller } from '../../api/limits/caller.ts'
import { openWriterClient, type WriterClient } from '../../jobs/api-client/writer-client.ts'
import { runCrawler } from '../../jobs/crawler/crawler.ts'
import type { Role } from '../../jobs/process-role.ts'
import { REDIS_PREFIX } from '../../jobs/redis.ts'
import { systemClock } from '../../pipeline/core/clock.ts'
import { readConfig } from '../../pipeline/core/config.ts'
import { silentLog } from '../../pipeline/core/log.ts'
import { buildWorld } from '../../scripts/world/build.ts'
import type { Site } from '../../scripts/world/site.ts'
import { observeBrandFile } from '../support/fixtures/documents.ts'
import { startRedis, type TestRedis } from '../support/processes/redis.ts'
import { openRegistry, type TestRegistry } from '../support/registry/app.ts'
import { buildGenerousLimits, generousTimeouts } from '../support/registry/generous-limits.ts'
import { openForAll } from '../support/runner/open-for-all.ts'
import { serveOrigin } from '../support/servers/origin.ts'

const redis = openForAll(startRedis)
const origin = openForAll(() =>
  serveOrigin((request, response, path) => {
    const host = request.headers.host!
    asked.push({ host, authorization: request.headers.authorization })
    const answer = hosts[host]
    if (answer !== undefined) return void answer(response, path)
    const found = (world.sites.get(host) as Site | undefined)?.answer({
      method: 'GET',
      path,
      headers: {},
      body: '',
    })
    if (found?.kind !== 'whole') return void response.writeHead(404).end()
    response.writeHead(found.status, found.headers).end(found.body)
  }),
)
let writer: WriterClient
const roles: Role[] = []
const registries: TestRegistry[] = []
const world = buildWorld({ seed: 7 })

const page = '<title>Acme</title><meta name="theme-color" content="#123456">'
const html = (response: ServerResponse, body = page, type = 'text/html') =>
  response.writeHead(200, { 'content-type': type }).end(body)

/** Answers of the web: some hosts of our own, and the demo internet. */
const hosts: Record<string, (response: ServerResponse, path: string) => unknown> = {
  'plain.example': response => html(response),
  'slow.example': response => setTimeout(() => html(response), 300),
  'silent.example': response => html(response, '<p>Hello'),
  'picture.example': response => html(response, page, 'image/png'),
  'large.example': response => html(response, page + ' '.repeat(3 * 1024 * 1024)),
  'broken.example': response => response.writeHead(500).end(),
  'moved.example': response =>
    response.writeHead(301, { location: 'https://www.moved.example/home' }).end(),
  'www.moved.example': response => html(response),
  'astray.example': response =>
    response.writeHead(302, { location: 'https://plain.example/' }).end(),
  'inward.example': response => response.writeHead(302, { location: 'https://10.0.0.1/' }).end(),
  'latin.example': response =>
    response
      .writeHead(200, { 'content-type': 'text/html; charset=ISO-8859-1' })
      .end(Buffer.from('<title>Caf\u00e9</title>', 'latin1')),
  'data.operator.example': (response, path) => {
    if (asked.at(-1)!.authorization !== 'Bearer service-key') return response.writeHead(401).end()
    const [, domain = ''] = /^\/v1\/brand\?domain=([a-z.]+)$/.exec(path) ?? []
    if (domain === 'away.example')
      return response.writeHead(302, { location: 'https://plain.example/' }).end()
    if (served[domain] === undefined) return response.writeHead(404).end()
    return response.end(JSON.stringify(served[domain]))
  },
  'api.brands.example': (response, path) => {
    const { authorization } = asked.at(-1)!
    if (authorization !== 'Bearer secret-key') return response.writeHead(401).end()
    if (path !== '/v2/brands/plain.example') return response.writeHead(404).end()
    return response.end(JSON.stringify(provided))
  },
}

/** Answers of the operator's service, by domain. */
const served: Record<string, unknown> = {
  'plain.example': {
    manifest: {
      name: ' Plain by service\u0000',
      url: 'https://elsewhere.example/',
      tagline: 'Plainly',
      tone: 7,
      logos: [
        { url: 'https://asset.example/s.svg', tags: ['icon', 3] },
        { url: 'data:image/png,A' },
      ],
      colors: { primary: '#112233', accent: 'red' },
      fonts: [{ name: 'Lato', role: 'title' }, 'Arial'],
      social: ['https://x.example/plain', 'javascript:1'],
      unknown: { contact: 'ada@plain.example' },
    },
    company: { name: 'Plain Ltd', industries: ['Retail'], founded: 1990, employees: [] },
  },
  'odd.example': { manifest: 'Acme' },
  'list.example': [{ manifest: { name: 'Acme' } }],
  'bare.example': { name: 'Acme' },
  'big.example': { manifest: { name: 'Acme', description: 'x'.repeat(9 * 1024 * 1024) } },
}

const provided = {
  name: 'Plain & Co',
  description: 'Plain things',
  domain: 'plain.example',
  links: [
    { name: 'x', url: 'https://x.example/plain' },
    { name: 'y', url: 'javascript:1' },
  ],
  logos: [
    {
      type: 'icon',
      theme: 'dark',
      formats: [{ src: 'https://asset.example/i.svg' }, { src: 'data:image/png;base64,A' }],
    },
  ],
  colors: [
    { hex: '#123456', type: 'brand' },
    { hex: '#abcdef', type: 'constructor' },
  ],
  fonts: [{ name: 'Lato', type: 'title' }, { name: null }],
  company: {
    employees: 12,
    foundedYear: 1990,
    location: { city: 'Porto', country: 'Portugal' },
    industries: [{ name: 'Retail' }, { name: 'Food' }],
  },
}

const asked: { host: string; authorization: string | undefined }[] = []

beforeAll(async () => {
  writer = openWriterClient(redis.url, silentLog, generousTimeouts)
  roles.push(await runCrawler(buildCrawlerConfig(), redis.url, systemClock, silentLog))
})

afterAll(async () => {
  for (const registry of registries) await registry.close()
  for (const role of roles) await role.close()
  await writer.close()
})

beforeEach(async () => {
  const keys = await redis.redis.keys(`${REDIS_PREFIX}:requests:*`)
  if (keys.length > 0) await redis.redis.del(...keys)
  asked.length = 0
})

function buildCrawlerConfig(more: Record<string, string> = {}) {
  return readConfig({ CRAWL_CONNECT_TO: origin.url, ...buildGenerousLimits(), ...more })
}

/** Keeps nothing of what is found, so that the web is asked each time (enriched.test.ts). */
async function open(asked: Record<string, number> = {}, over: WriterClient = writer) {
  const limits = { enrichedBrands: 0, ...asked }
  const registry = await openRegistry({
    redis: redis.redis,
    writer: { requestLive: over.requestLive },
    limits,
  })
  registries.push(registry)
  return registry
}

const enrich = (registry: TestRegistry, domain: string) =>
  registry.app.inject(`/api/brands/enrich?domain=${domain}`)

describe('GET /api/brands/enrich', () => {
  it('200: a brand with its own document is answered from the registry, without a fetch', async () => {
    const registry = await open()
    const manifest = { description: 'anvils', colors: { primary: '#112233' } }
    await registry.observe(observeBrandFile('acme.example', 'Acme', manifest))
    const answer = await enrich(registry, 'https://ACME.example/about')
    expect([answer.statusCode, answer.json()]).toEqual([
      200,
      {
        success: true,
        domain: 'acme.example',
        cached: true,
        source_type: 'brand_json',
        manifest: { name: 'Acme', url: 'https://acme.example/', ...manifest },
        freshness: expect.objectContaining({ state: 'current', outcome: 'ok' }),
      },
    ])
    expect(answer.headers['cache-control']).toBe('no-store')
    expect(asked).toEqual([])
  })

  it('200: what a brand.json says in another form than a profile is converted', async () => {
    const registry = await open()
    const logo = { url: 'https://acme.example/logo.svg' }
    const dark = { ...logo, background: 'dark-bg', variant: 'icon', orientation: 'square' }
    const manifest = {
      logos: [logo, dark, { ...dark, tags: ['icon', 'app'] }],
      fonts: { title: 'Inter', body: { family: 'Lora', fallbacks: ['serif'] } },
      tone: { voice: 'warm', attributes: ['calm'] },
      tagline: [{ en: 'Made up with care' }],
    }
    await registry.observe(observeBrandFile('acme.example', 'Acme', manifest))
    expect((await enrich(registry, 'acme.example')).json().manifest).toEqual({
      name: 'Acme',
      url: 'https://acme.example/',
      logos: [
        { ...logo, tags: [] },
        { ...dark, tags: ['icon', 'square', 'dark'] },
        { ...dark, tags: ['icon', 'app', 'square', 'dark'] },
      ],
      fonts: [
        { name: 'Inter', role: 'title' },
        { name: 'Lora', role: 'body' },
      ],
      tone: 'warm',
    })
  })

  it('200: a brand without a document is read from its home page', async () => {
    const answer = await enrich(await open(), 'only-a-home-page.example')
    const [base, color] = [
      'https://only-a-home-page.example',
      expect.stringMatching(/^#[0-9A-F]{6}$/),
    ]
    expect([answer.statusCode, answer.json()]).toEqual([
      200,
      {
        success: true,
        domain: 'only-a-home-page.example',
        cached: false,
        source_type: 'enriched',
        provider: 'home_page',
        found_at: '2026-11-20T03:00:00.000Z',
        manifest: {
          name: 'Only A Home Page',
          url: `${base}/`,
          tagline: 'Made up with care',
          description: 'Only A Home Page is part of an invented internet.',
          logos: [
            { url: `${base}/logo.svg`, tags: ['logo'] },
            { url: `${base}/icon.png`, tags: ['icon'] },
            { url: `${base}/icon-512.png`, tags: ['icon'] },
          ],
          colors: { primary: color, background: '#FFFFFF' },
          social: ['https://social.example/only-a-home-page'],
        },
        company: {
          name: 'Only A Home Page Ltd',
          employees: '50-200',
          founded: 1998,
          location: 'Lisbon, PT',
        },
      },
    ])
  })

  it('200: of one caller only so many new brands an hour are stored, and every one is answered', async () => {
    const registry = await open({ enrichedBrands: 100, namesPerCallerHour: 1 })
    const from = (remoteAddress: string, domain: string) =>
      registry.send('GET', `/api/brands/enrich?domain=${domain}`, { remoteAddress })
    for (const domain of ['plain.example', 'moved.example']) {
      expect((await from('192.0.2.66', domain)).statusCode).toBe(200)
    }
    expect((await from('192.0.2.1', 'latin.example')).statusCode).toBe(200)
    const stored = registry.submitted.flatMap(operation =>
      operation.op === 'brand.enrich' ? operation.domain : [],
    )
    expect(stored).toEqual(['plain.example', 'latin.example'])
  })

  it('200: a brand that only its house mentions is read as well', async () => {
    const registry = await open()
    const [at, house] = ['plain.example', 'house.example']
    const leaf = { variant: 'house_redirect', house }
    await registry.observe(
      { kind: 'brand.json', location: at, document: leaf },
      { kind: 'brand.json', location: house, outcome: 'absent', status: 404 },
    )
    const answer = await enrich(registry, at)
    expect(answer.json()).toMatchObject({ cached: false, manifest: { name: 'Acme' } })
  })

  test.each([
    ['moved.example', 'Acme'],
    ['latin.example', 'Café'],
  ])('200: %s is read there and as it is', async (domain, name) => {
    expect((await enrich(await open(), domain)).json()).toMatchObject({ manifest: { name } })
  })

  test.each([
    ['silent.example'],
    ['picture.example'],
    ['large.example'],
    ['broken.example'],
    ['astray.example'],
    ['inward.example'],
    ['nobody-at-all.example'],
    ['printer.local'],
    ['metadata.google.internal'],
  ])('404: %s yields nothing, and the reason is not disclosed', async domain => {
    const answer = await enrich(await open(), domain)
    expect([answer.statusCode, answer.json()]).toEqual([
      404,
      { error: `No brand data was found for ${domain}.`, domain, code: 'not_found' },
    ])
  })

  test.each([
    ['', '`domain` is required.'],
    ['?domain=', '`domain` must be a domain name such as acme.example.'],
    ['?domain=10.0.0.1', '`domain` must be a domain name such as acme.example.'],
    ['?domain=localhost', '`domain` must be a domain name such as acme.example.'],
  ])('400: %s is refused by name', async (query, error) => {
    const { app } = await open()
    const answer = await app.inject(`/api/brands/enrich${query}`)
    expect([answer.statusCode, answer.json()]).toEqual([400, { error, code: 'invalid_request' }])
  })

  it('503: without a crawler nothing can be read', async () => {
    const gone = openWriterClient(`unix:///nowhere-${process.pid}.sock`, silentLog)
    const answer = await enrich(await open({}, gone), 'plain.example')
    expect(answer.statusCode).toBe(503)
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0)
    await gone.close()
  })
})

describe('limits of live requests', () => {
  it('equal concurrent requests are sent once', async () => {
    const registry = await open()
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => enrich(registry, 'slow.example')),
    )
    expect(answers.map(({ statusCode }) => statusCode)).toEqual(Array(10).fill(200))
    expect(asked.map(({ host }) => host)).toEqual(['slow.example'])
  })

  it('a caller has a few requests open, the others wait, and none is refused', async () => {
    const registry = await open({ callerQuestionsAtOnce: 2 })
    let [underWay, most] = [0, 0]
    const slow = (response: ServerResponse) => {
      most = Math.max(most, ++underWay)
      setTimeout(() => {
        underWay--
        html(response)
      }, 20)
    }
    const names = Array.from({ length: 12 }, (_, i) => `slow${i}.example`)
    for (const name of names) hosts[name] = slow
    const answers = await Promise.all(names.map(name => enrich(registry, name)))
    expect(answers.map(({ statusCode }) => statusCode)).toEqual(Array(12).fill(200))
    expect(most).toBe(2)
  })

  test.each([
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['203.0.113.7:52611', '203.0.113.7'],
    ['[2001:db8:1:2::9]:52611', '2001:db8:1:2::/64'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0db8:1:2::9', '2001:db8:1:2::/64'],
    ['2001:db8::9', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ])('%s is the caller %s', (ip, caller) => {
    expect(toCaller(ip)).toBe(caller)
  })
})

/** Runs a crawler of its own with these settings for the tests of a block. */
function useCrawler(settings: Record<string, string>) {
  let keyed: { writer: WriterClient; redis: TestRedis; role: Role }
  beforeAll(async () => {
    const own = await startRedis()
    const config = buildCrawlerConfig(settings)
    const role = await runCrawler(config, own.url, systemClock, silentLog)
    keyed = { redis: own, role, writer: openWriterClient(own.url, silentLog, generousTimeouts) }
  })
  afterAll(async () => {
    await keyed.writer.close()
    await keyed.role.close()
    await keyed.redis.close()
  })
  return async (domain: string) => enrich(await open({}, keyed.writer), domain)
}

describe('with a service that the operator names', () => {
  const ask = useCrawler({
    ENRICHMENT_URL: 'https://data.operator.example/v1/brand',
    ENRICHMENT_KEY: 'service-key',
    BRANDFETCH_KEY: 'secret-key',
    BRANDFETCH_URL: 'https://api.brands.example',
  })

  it('the service is asked first, and its answer is cleaned', async () => {
    const answer = await ask('plain.example')
    expect(answer.json()).toEqual({
      success: true,
      domain: 'plain.example',
      cached: false,
      source_type: 'enriched',
      provider: 'enrichment_service',
      found_at: '2026-11-20T03:00:00.000Z',
      manifest: {
        name: 'Plain by service',
        url: 'https://plain.example/',
        tagline: 'Plainly',
        logos: [{ url: 'https://asset.example/s.svg', tags: ['icon'] }],
        colors: { primary: '#112233' },
        fonts: [{ name: 'Lato', role: 'title' }],
        social: ['https://x.example/plain'],
      },
      company: { name: 'Plain Ltd', industry: 'Retail', industries: ['Retail'], founded: 1990 },
    })
    expect(asked).toEqual([{ host: 'data.operator.example', authorization: 'Bearer service-key' }])
    expect(answer.body).not.toContain('service-key')
  })

  it('others are asked about a brand that it does not know, without its key', async () => {
    const answer = await ask('latin.example')
    expect(answer.json()).toMatchObject({ provider: 'home_page', manifest: { name: 'Café' } })
    expect(asked).toEqual([
      { host: 'data.operator.example', authorization: 'Bearer service-key' },
      { host: 'api.brands.example', authorization: 'Bearer secret-key' },
      { host: 'latin.example', authorization: undefined },
    ])
  })

  it.each(['odd.example', 'list.example', 'bare.example', 'away.example', 'big.example'])(
    'an answer without a brand counts as none, and nothing else is fetched for it: %s',
    async domain => {
      hosts[domain] = response => html(response)
      expect((await ask(domain)).json()).toMatchObject({ provider: 'home_page' })
      expect(asked.map(({ host }) => host)).toEqual([
        'data.operator.example',
        'api.brands.example',
        domain,
      ])
    },
  )
})

describe('with the key of a provider', () => {
  const ask = useCrawler({
    BRANDFETCH_KEY: 'secret-key',
    BRANDFETCH_URL: 'https://api.brands.example',
  })

  it('the provider is asked before the home page', async () => {
    const answer = await ask('plain.example')
    expect(answer.json()).toEqual({
      success: true,
      domain: 'plain.example',
      cached: false,
      source_type: 'enriched',
      provider: 'brandfetch',
      found_at: '2026-11-20T03:00:00.000Z',
      manifest: {
        name: 'Plain & Co',
        url: 'https://plain.example/',
        description: 'Plain things',
        logos: [{ url: 'https://asset.example/i.svg', tags: ['icon', 'dark'] }],
        colors: { primary: '#123456', other: '#ABCDEF' },
        fonts: [{ name: 'Lato', role: 'title' }],
        social: ['https://x.example/plain'],
      },
      company: {
        name: 'Plain & Co',
        industry: 'Retail',
        industries: ['Retail', 'Food'],
        employees: '12',
        founded: 1990,
        location: 'Porto, Portugal',
      },
    })
    expect(asked.map(({ host }) => host)).toEqual(['api.brands.example'])
  })

  it('the home page is read for a brand that the provider does not know, without the key', async () => {
    const answer = await ask('latin.example')
    expect(answer.json()).toMatchObject({ provider: 'home_page', manifest: { name: 'Café' } })
    expect(asked).toEqual([
      { host: 'api.brands.example', authorization: 'Bearer secret-key' },
      { host: 'latin.example', authorization: undefined },
    ])
    expect(answer.body).not.toContain('secret-key')
  })
})
