import { beforeEach, describe, expect, it, test } from 'vitest'
import { openWriterClient } from '../../jobs/api-client/writer-client.ts'
import { HOUR } from '../../pipeline/core/clock.ts'
import { silentLog } from '../../pipeline/core/log.ts'
import type { BrandDocument } from '../../pipeline/model/documents/index.ts'
import type { Observation } from '../../pipeline/model/observation.ts'
import { observeBrandFile } from '../support/fixtures/documents.ts'
import { observeFile } from '../support/fixtures/observations.ts'
import type { ObservationDraft } from '../support/registry/app.ts'
import { openForAll } from '../support/runner/open-for-all.ts'
import { type HostRequest, openLiveWeb } from '../support/servers/live-web.ts'

const FILE = '/.well-known/brand.json'
const brand = (domain: string, name: string, more = {}) => ({
  id: name.toLowerCase(),
  names: [{ en: name }],
  description: `about ${name}`,
  properties: [{ type: 'website', identifier: domain }],
  ...more,
})

type Canonical = Extract<BrandDocument, { variant: 'brand_canonical' }>

/** A brand that says whose it is. */
const leafFile: ObservationDraft = (() => {
  const file = observeBrandFile('leaf.example', 'Leaf')
  return { ...file, document: { ...(file.document as Canonical), house_domain: 'house.example' } }
})()

/** A house, as it was read, that names that brand. */
const houseFile = (location: string, more: object = {}): ObservationDraft => ({
  kind: 'brand.json',
  location,
  document: {
    variant: 'house_portfolio',
    authorized_operators: [],
    trademarks: [],
    brands: [],
    house: { domain: location, name: 'House', agents: [] },
    brand_refs: [{ domain: 'leaf.example', brand_id: 'leaf' }],
    ...more,
  } as BrandDocument,
})

const answering = (status: number) => ({
  [FILE]: ({ response }: HostRequest) => response.writeHead(status).end(),
})

const web = openForAll(() =>
  openLiveWeb({
    'acme.example': { [FILE]: brand('acme.example', 'Acme', { contact: { phone: '+49 30 1' } }) },
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
  }),
)
const registry = openForAll(() => web.open())

beforeEach(() => web.forget())

const resolve = (domain: string, fresh = '&fresh=true', at = registry) =>
  at.app.inject(`/api/brands/resolve?domain=${domain}${fresh}`)
const brandJson = (domain: string, fresh = '&fresh=true', at = registry) =>
  at.app.inject(`/api/brands/brand-json?domain=${domain}${fresh}`)

describe('GET /api/brands/resolve with fresh=true', () => {
  it('200: a brand that was never crawled is read at once, and crawled next', async () => {
    const own = await web.open()
    const answer = await resolve('acme.example', undefined, own)
    expect([answer.statusCode, answer.json()]).toMatchObject([
      200,
      {
        canonical_id: 'acme.example',
        brand_name: 'Acme',
        source: 'brand_json',
        relationship_trust: 'standalone',
        brand_manifest: { description: 'about Acme' },
      },
    ])
    expect(answer.headers['cache-control']).toBe('no-store')
    await expect
      .poll(() => own.submitted)
      .toEqual([{ op: 'domains.add', domains: ['acme.example'], again: true, why: 'demanded' }])
  })

  it('200: stored answers are older than live ones', async () => {
    const own = await web.open()
    await own.observe(observeBrandFile('acme.example', 'Old name'))
    expect((await resolve('acme.example', '', own)).json().brand_name).toBe('Old name')
    expect((await resolve('acme.example', '&fresh=true', own)).json().brand_name).toBe('Acme')
  })

  test.each(['TRUE', '1', 'false', ''])('200: fresh=%s fetches nothing', async word => {
    const own = await web.open()
    await own.observe(observeBrandFile('acme.example', 'Old name'))
    const answer = await resolve('acme.example', `&fresh=${word}`, own)
    expect(answer.json().brand_name).toBe('Old name')
    expect(web.origin.asked).toEqual([])
  })

  it('200: a brand and a house that name each other, by the same rules', async () => {
    expect((await resolve('leaf.example')).json()).toMatchObject({
      brand_name: 'Leaf',
      house_domain: 'house.example',
      relationship_trust: 'mutual',
    })
  })

  it('200: a live read does not reset the time of what a house once said', async () => {
    const own = await web.open()
    const longAgo = '2026-01-01T00:00:00Z'
    const refs = [{ domain: 'leaf.example', brand_id: 'leaf', first_seen_at: longAgo }]
    await own.observe(leafFile, houseFile('house.example', { brand_refs: refs }))
    own.clock.tick(0)
    await own.publish()
    const stored = (await resolve('leaf.example', '', own)).json()
    const fresh = (await resolve('leaf.example', '&fresh=true', own)).json()
    expect(fresh.relationship_declared_at).toBe(stored.relationship_declared_at)
    expect(stored.relationship_trust).toBe('mutual')
  })

  test.each([
    [503, 1, 'mutual'],
    [429, 23, 'mutual'],
    [503, 25, 'unverifiable'],
    [404, 1, 'unverifiable'],
  ])(
    '200: a house that answers %s, %i hours after it was read: %s',
    async (status, hours, trust) => {
      const own = await web.open()
      const observed_at = Date.now() - hours * HOUR
      await own.observe(leafFile, { ...houseFile('house.example'), observed_at })
      await own.publish()
      const house = web.hosts['house.example']!
      web.hosts['house.example'] = answering(status)
      const answer = await resolve('leaf.example', undefined, own)
      web.hosts['house.example'] = house
      expect(answer.json()).toMatchObject({
        brand_name: 'Leaf',
        relationship_trust: trust,
        [trust === 'mutual' ? 'house_domain' : 'claimed_house_domain']: 'house.example',
      })
    },
  )

  it('200: a domain that redirects to its house keeps its brand while the house is away', async () => {
    const own = await web.open()
    web.hosts['shop.example'] = { [FILE]: { house: 'busy.example' } }
    web.hosts['busy.example'] = answering(500)
    const { brand } = observeBrandFile('shop.example', 'Shop').document as Canonical
    const properties = [{ type: 'website', identifier: 'shop.example', relationship: 'owned' }]
    const brands = [{ ...brand, properties }]
    await own.observe(
      {
        kind: 'brand.json',
        location: 'shop.example',
        document: { variant: 'house_redirect', house: 'busy.example' },
      },
      // Live reads use the time of this machine, by which the house may be away for a day.
      { ...houseFile('busy.example', { brands, brand_refs: [] }), observed_at: Date.now() },
    )
    await own.publish()
    expect((await resolve('shop.example', undefined, own)).json()).toMatchObject({
      brand_name: 'Shop',
      house_domain: 'busy.example',
      relationship_trust: 'inline',
    })
  })

  test.each([
    ['nowhere.example', 'file_missing', 404],
    ['broken.example', 'not_json', 200],
    ['lost.example', 'file_missing', 200],
    ['slow.example', 'timeout', undefined],
    ['printer.local', 'connection', undefined],
  ])('404 for %s, or 200 with the stored answer and its reason', async (domain, code, status) => {
    const slow = { 'slow.example': { [FILE]: () => undefined } }
    const hasty = code === 'timeout' ? await openLiveWeb(slow, { liveBrandMs: 1_000 }) : undefined
    const own = await (hasty ?? web).open()
    const unknown = await resolve(domain, undefined, own)
    expect(unknown.statusCode).toBe(404)
    expect(unknown.json().file_status).toBe(status)
    await own.observe(observeBrandFile(domain, 'Stored'))
    const answer = (await resolve(domain, undefined, own)).json()
    expect(answer).toMatchObject({
      brand_name: 'Stored',
      live_brand_json: { valid: false, url: `https://${domain}${FILE}`, errors: [{ code }] },
    })
    expect(answer.live_brand_json.status_code).toBe(status)
    await new Promise(resolve => setTimeout(resolve, 1_200))
    expect(own.submitted.filter(operation => 'again' in operation && operation.again)).toEqual([])
    await hasty?.close()
  })

  it('200: a recent live answer is sent again, with its age', async () => {
    const own = await web.open({ answerKeptSeconds: 10 })
    expect((await resolve('acme.example', undefined, own)).headers.age).toBeUndefined()
    own.clock.tick(3_000)
    const again = await resolve('acme.example', undefined, own)
    expect([again.statusCode, again.headers.age]).toEqual([200, '3'])
    expect(web.origin.asked).toHaveLength(1)
    own.clock.tick(8_000)
    expect((await resolve('acme.example', undefined, own)).headers.age).toBeUndefined()
    expect(web.origin.asked).toHaveLength(2)
  })

  it('without a crawler: 200 with the stored answer, 503 where there is none', async () => {
    const gone = openWriterClient(`unix:///nowhere-${process.pid}.sock`, silentLog)
    const own = await web.open({}, { writer: { requestLive: gone.requestLive } })
    await own.observe(observeBrandFile('acme.example', 'Stored'))
    expect((await resolve('acme.example', undefined, own)).json()).toMatchObject({
      brand_name: 'Stored',
      live_brand_json: { errors: [{ code: 'unasked' }] },
    })
    expect((await resolve('nobody.example', undefined, own)).statusCode).toBe(503)
    await gone.close()
  })
})

describe('GET /api/brands/brand-json', () => {
  /** Files of every form, and their address if it is not the well-known place. */
  const house = { domain: 'house.example', name: 'House' }
  const member = brand('acme.example', 'Acme')
  const forms: [variant: string, file: object, more?: Partial<Observation>][] = [
    ['brand_canonical', { ...member, contact: { phone: '+49 30 1' } }],
    ['brand_canonical', { ...member, name: 'ACME', contact: { email: 'ann@acme.example' } }],
    [
      'house_portfolio',
      {
        house: { ...house, domain: 'acme.example' },
        brands: [{ ...member, keller_type: 'master' }],
      },
    ],
    ['house_redirect', { house: 'house.example' }],
    ['authoritative_location', { authoritative_location: 'https://house.example/acme.json' }],
    [
      'brand_agent',
      {
        version: '1.0',
        agents: [{ type: 'brand', url: 'https://brand.acme.example/mcp', id: 'a' }],
      },
    ],
    ['brand_canonical', member, { resolved_url: `https://www.acme.example${FILE}` }],
  ]

  test.each(forms)(
    '200: stored, the last valid file as crawled: %s',
    async (variant, file, more) => {
      const own = await web.open()
      const text = JSON.stringify(file)
      const target = brand('house.example', 'House', { keller_type: 'master' })
      await own.observe(
        observeFile(
          'brand.json',
          'house.example',
          { house, brands: [target, member] },
          own.clock.now(),
        ),
        observeFile('brand.json', 'https://house.example/acme.json', member, own.clock.now()),
        {
          ...observeFile('brand.json', 'acme.example', text, own.clock.now()),
          body: Buffer.from(text),
          ...more,
        },
      )
      const answer = await brandJson('ACME.example', '', own)
      const { contact: _, ...shown } = file as Record<string, unknown>
      const { brand_name: name } = (await resolve('acme.example', '', own)).json()
      expect([answer.statusCode, answer.json()]).toEqual([
        200,
        {
          domain: 'acme.example',
          url: more?.resolved_url ?? `https://acme.example${FILE}`,
          variant,
          data: { name, ...shown },
          freshness: expect.objectContaining({ outcome: 'ok' }),
        },
      ])
      expect(answer.headers['cache-control']).toBe('no-store')
      expect(web.origin.asked).toEqual([])
    },
  )

  it('200: where no files are kept, as by a replica, the brand is sent and marked as incomplete', async () => {
    const own = await web.open()
    await own.observe(observeBrandFile('acme.example', 'Stored', { description: 'anvils' }))
    expect((await brandJson('acme.example', '', own)).json()).toMatchObject({
      url: `https://acme.example${FILE}`,
      variant: 'brand_canonical',
      data: { name: 'Stored', description: 'anvils' },
      data_truncated: true,
    })
  })

  it('200: with fresh=true the file as it is now, without contact data', async () => {
    expect((await brandJson('acme.example')).json()).toEqual({
      domain: 'acme.example',
      url: `https://acme.example${FILE}`,
      variant: 'brand_canonical',
      data: brand('acme.example', 'Acme'),
    })
    expect((await brandJson('house.example')).json().variant).toBe('house_portfolio')
  })

  it('200: a long file is cut to the bound of answers', async () => {
    const answer = await brandJson('large.example')
    expect(answer.body.length).toBeLessThan(256 * 1024)
    expect(answer.json()).toMatchObject({ data_truncated: true, data: { id: 'large' } })
  })

  it('404: unknown, stored and live', async () => {
    for (const fresh of ['', '&fresh=true']) {
      const answer = await brandJson('nowhere.example', fresh)
      expect([answer.statusCode, answer.json()]).toMatchObject([
        404,
        { domain: 'nowhere.example', errors: [] },
      ])
    }
  })

  test.each([[''], ['10.0.0.1'], ['localhost'], ['ftp://acme.example']])(
    '400: %s',
    async domain => {
      expect((await brandJson(domain)).statusCode).toBe(400)
    },
  )
})
