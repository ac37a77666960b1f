import { afterAll, beforeAll, beforeEach, describe, expect, it, test } from 'vitest'
import { openDesk } from '../../jobs/enqueue.ts'
import { silentLog } from '../../pipeline/core/log.ts'
import type { BrandDocument } from '../../pipeline/model/documents.ts'
import type { TestRegistry } from '../support/app.ts'
import { brandFile } from '../support/documents.ts'
import { type LiveWeb, openLiveWeb } from '../support/live.ts'

const FILE = '/.well-known/brand.json'
const brand = (domain: string, name: string, more = {}) => ({
  ...{ id: name.toLowerCase(), names: [{ en: name }], description: `about ${name}` },
  properties: [{ type: 'website', identifier: domain }],
  ...more,
})

let web: LiveWeb
let registry: TestRegistry

beforeAll(async () => {
  web = await openLiveWeb({
    'acme.example': { [FILE]: brand('acme.example', 'Acme') },
    'leaf.example': { [FILE]: brand('leaf.example', 'Leaf', { house_domain: 'house.example' }) },
    'house.example': {
      [FILE]: {
        house: { domain: 'house.example', name: 'House' },
        brands: [brand('house.example', 'House', { keller_type: 'master' })],
        brand_refs: [{ domain: 'leaf.example', brand_id: 'leaf' }],
      },
    },
    'lost.example': { [FILE]: { authoritative_location: 'https://elsewhere.example/b.json' } },
    'broken.example': { [FILE]: '<html>' },
    'large.example': {
      [FILE]: brand('large.example', 'Large', {
        assets: Array.from({ length: 1_500 }, (_, i) => ({
          url: `https://a.example/${'x'.repeat(100)}${i}`,
        })),
      }),
    },
  })
  registry = await web.open()
})

afterAll(() => web.close())
beforeEach(() => web.forget())

const resolve = (domain: string, fresh = '&fresh=true', at = registry) =>
  at.app.inject(`/api/brands/resolve?domain=${domain}${fresh}`)
const brandJson = (domain: string, fresh = '&fresh=true', at = registry) =>
  at.app.inject(`/api/brands/brand-json?domain=${domain}${fresh}`)

describe('GET /api/brands/resolve with fresh=true', () => {
  it('200: a brand that nobody has crawled yet is read at once, and crawled next', async () => {
    const own = await web.open()
    const answer = await resolve('acme.example', undefined, own)
    expect([answer.statusCode, answer.json()]).toMatchObject([
      200,
      {
        ...{ canonical_id: 'acme.example', brand_name: 'Acme', source: 'brand_json' },
        ...{ relationship_trust: 'standalone', brand_manifest: { description: 'about Acme' } },
      },
    ])
    expect(answer.headers['cache-control']).toBe('no-store')
    await expect
      .poll(() => own.submitted)
      .toEqual([{ op: 'domains.add', domains: ['acme.example'], again: true, why: 'demanded' }])
  })

  it('200: what is stored is older than what is read', async () => {
    const own = await web.open()
    await own.observe(brandFile('acme.example', 'Old name'))
    expect((await resolve('acme.example', '', own)).json().brand_name).toBe('Old name')
    expect((await resolve('acme.example', '&fresh=true', own)).json().brand_name).toBe('Acme')
  })

  test.each(['TRUE', '1', 'false', ''])('200: fresh=%s asks nobody', async word => {
    const own = await web.open()
    await own.observe(brandFile('acme.example', 'Old name'))
    const answer = await resolve('acme.example', `&fresh=${word}`, own)
    expect(answer.json().brand_name).toBe('Old name')
    expect(web.origin.asked).toEqual([])
  })

  it('200: a brand and a house that name each other, by the same rules', async () => {
    expect((await resolve('leaf.example')).json()).toMatchObject({
      ...{ brand_name: 'Leaf', house_domain: 'house.example', relationship_trust: 'mutual' },
    })
  })

  it('200: looking does not set back the clock of what a house once said', async () => {
    const own = await web.open()
    const longAgo = '2026-01-01T00:00:00Z'
    const leaf = brandFile('leaf.example', 'Leaf')
    const { document } = leaf as {
      document: Extract<BrandDocument, { variant: 'brand_canonical' }>
    }
    const house: BrandDocument = {
      ...{ variant: 'house_portfolio', authorized_operators: [], trademarks: [], brands: [] },
      house: { domain: 'house.example', name: 'House', agents: [] } as never,
      brand_refs: [{ domain: 'leaf.example', brand_id: 'leaf', first_seen_at: longAgo }],
    } as never
    await own.observe({ ...leaf, document: { ...document, house_domain: 'house.example' } })
    await own.observe({ kind: 'brand.json', location: 'house.example', document: house })
    own.clock.pass(0)
    await own.publish()
    const stored = (await resolve('leaf.example', '', own)).json()
    const fresh = (await resolve('leaf.example', '&fresh=true', own)).json()
    expect(fresh.relationship_declared_at).toBe(stored.relationship_declared_at)
    expect(stored.relationship_trust).toBe('mutual')
  })

  test.each([
    ['nowhere.example', 'file_missing', 404],
    ['broken.example', 'not_json', 200],
    ['lost.example', 'file_missing', 200],
    ['slow.example', 'timeout', undefined],
    ['printer.local', 'connection', undefined],
  ])('404 for %s, or 200 with what is stored and why it is', async (domain, code, status) => {
    const slow = { 'slow.example': { [FILE]: () => undefined } }
    const hasty = code === 'timeout' ? await openLiveWeb(slow, { liveBrandMs: 1_000 }) : undefined
    const own = await (hasty ?? web).open()
    const unknown = await resolve(domain, undefined, own)
    expect(unknown.statusCode).toBe(404)
    expect(unknown.json().file_status).toBe(status)
    await own.observe(brandFile(domain, 'Stored'))
    const answer = (await resolve(domain, undefined, own)).json()
    expect(answer).toMatchObject({
      brand_name: 'Stored',
      live_brand_json: { valid: false, url: `https://${domain}${FILE}`, errors: [{ code }] },
    })
    expect(answer.live_brand_json.status_code).toBe(status)
    await new Promise(resolve => setTimeout(resolve, 1_200))
    expect(own.submitted.filter(one => 'again' in one && one.again)).toEqual([])
    await hasty?.close()
  })

  it('429: a domain is not asked more than its budget, stored or not', async () => {
    const own = await web.open({ outwardPerTargetMinute: 1 })
    await own.observe(brandFile('acme.example', 'Stored'))
    expect((await resolve('acme.example', undefined, own)).statusCode).toBe(200)
    expect((await resolve('acme.example', undefined, own)).statusCode).toBe(429)
    expect((await resolve('acme.example', '', own)).statusCode).toBe(200)
  })

  it('without a crawler: 200 with what is stored, 503 where nothing is', async () => {
    const gone = openDesk(`unix:///nowhere-${process.pid}.sock`, silentLog)
    const own = await web.open({}, { desk: { send: gone.send } })
    await own.observe(brandFile('acme.example', 'Stored'))
    expect((await resolve('acme.example', undefined, own)).json()).toMatchObject({
      ...{ brand_name: 'Stored', live_brand_json: { errors: [{ code: 'unasked' }] } },
    })
    expect((await resolve('nobody.example', undefined, own)).statusCode).toBe(503)
    await gone.close()
  })
})

describe('GET /api/brands/brand-json', () => {
  it('200: what is stored, with the name before all', async () => {
    const own = await web.open()
    await own.observe(brandFile('acme.example', 'Stored', { description: 'anvils' }))
    const answer = await brandJson('ACME.example', '', own)
    expect([answer.statusCode, answer.json()]).toEqual([
      200,
      {
        ...{
          domain: 'acme.example',
          url: `https://acme.example${FILE}`,
          variant: 'brand_canonical',
        },
        data: { name: 'Stored', description: 'anvils' },
        freshness: expect.objectContaining({ state: 'current', outcome: 'ok' }),
      },
    ])
    expect(answer.headers['cache-control']).toBe('no-store')
    expect(web.origin.asked).toEqual([])
  })

  it('200: with fresh=true the file as it is now', async () => {
    expect((await brandJson('acme.example')).json()).toEqual({
      ...{ domain: 'acme.example', url: `https://acme.example${FILE}`, variant: 'brand_canonical' },
      data: brand('acme.example', 'Acme'),
    })
    expect((await brandJson('house.example')).json().variant).toBe('house_portfolio')
  })

  it('200: a long file is cut to what callers take', async () => {
    const answer = await brandJson('large.example')
    expect(answer.body.length).toBeLessThan(256 * 1024)
    expect(answer.json()).toMatchObject({ data_truncated: true, data: { id: 'large' } })
  })

  it('404: nobody knows it, live or not', async () => {
    for (const fresh of ['', '&fresh=true']) {
      const answer = await brandJson('nowhere.example', fresh)
      expect([answer.statusCode, answer.json()]).toMatchObject([
        404,
        { domain: 'nowhere.example', errors: [] },
      ])
    }
  })

  test.each([[''], ['10.0.0.1'], ['localhost'], ['https://acme.example']])(
    '400: %s',
    async domain => {
      expect((await brandJson(domain)).statusCode).toBe(400)
    },
  )
})
