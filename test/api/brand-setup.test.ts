import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { BrandDocument } from '../../pipeline/model/documents/index.ts'
import { loadSchema } from '../support/checks/schemas.ts'
import { observeBrandFile } from '../support/fixtures/documents.ts'
import type { TestRegistry } from '../support/registry/app.ts'
import { enrol } from '../support/registry/members.ts'
import { openForAll } from '../support/runner/open-for-all.ts'
import { openLiveWeb } from '../support/servers/live-web.ts'

const web = openForAll(() => openLiveWeb({}))
let registry: TestRegistry
let acme: string
let stranger: string

beforeAll(async () => {
  const many = { savesPerHour: 1_000, savesPerOrganizationHour: 1_000 }
  registry = await web.open({ ...many, savesPerOrganizationDay: 1_000 })
  acme = await enrol(registry, { org: 'Acme', domains: ['acme.example'] })
  stranger = await registry.createKey('Strangers')
})

beforeEach(() => web.forget())

const post = (path: string, payload: object, secret = acme) =>
  registry.send('POST', `/api/brands/${path}`, { key: secret, payload })
const get = (url: string) => registry.app.inject(url)
const resolved = async (domain: string) =>
  (await get(`/api/brands/resolve?domain=${domain}`)).json()
const setUp = (payload: object, secret = acme) => post('setup-my-brand', payload, secret)
const submit = (payload: object, secret = acme) => post('discovered/community', payload, secret)

const house = (domain: string, more = {}) => ({
  house: { domain, name: 'Acme Group' },
  brands: [
    {
      id: 'acme',
      names: [{ en: 'Acme' }],
      keller_type: 'master',
      description: 'Boots',
      contact: { name: 'Ada', email: 'ada@acme.example' },
    },
  ],
  contact: { name: 'Ada', email: 'ada@acme.example' },
  ...more,
})

describe('setting up a brand', () => {
  test('fails where the registry has no https address to point to', async () => {
    const plain = await web.open({}, { settings: { BASE_URL: 'http://registry.example:3000' } })
    const secret = await enrol(plain, { org: 'Plain', domains: ['plain.example'] })
    const answer = await plain.send('POST', '/api/brands/setup-my-brand', {
      key: secret,
      payload: { domain: 'plain.example', brand_name: 'Plain' },
    })
    expect([answer.statusCode, answer.json()]).toMatchObject([
      200,
      {
        has_brand_json: false,
        pointer_snippet: '',
        detail: expect.stringMatching(/https.*http:\/\/registry.example:3000.*BASE_URL/),
      },
    ])
  })

  test('returns the address of the file and the pointer to serve, and the file is valid', async () => {
    const domain = 'acme.example'
    const answer = await setUp({
      domain: 'www.acme.example',
      brand_name: 'Ácme & Söhne',
      brand_color: '#1A2b3c',
      logo_url: 'https://cdn.acme.example/l.png',
    })
    const url = `https://registry.example/brands/${domain}/brand.json`
    expect(answer.json()).toEqual({
      domain,
      has_brand_json: false,
      hosted_brand_json_url: url,
      pointer_snippet: `{\n  "authoritative_location": "${url}"\n}`,
    })
    const file = (await get(new URL(url).pathname)).json()
    expect(file.brands).toEqual([
      {
        id: 'a_cme_so_hne',
        names: [{ en: 'Ácme & Söhne' }],
        keller_type: 'master',
        logos: [{ url: 'https://cdn.acme.example/l.png', tags: ['primary'] }],
        colors: { primary: '#1A2b3c' },
      },
    ])
    const isSound = loadSchema('brand.json')
    expect(isSound(file), JSON.stringify(isSound.errors)).toBe(true)
    expect(await resolved(domain)).toMatchObject({ source: 'community' })
  })

  test('stores a submitted file without its contact', async () => {
    const domain = 'group.acme.example'
    const answer = await setUp({ domain, brand_name: 'Acme', brand_json: house(domain) })
    expect(answer.statusCode, answer.body).toBe(200)
    const served = await get(`/brands/${domain}/brand.json`)
    expect(served.json().brands[0]).toMatchObject({ id: 'acme', description: 'Boots' })
    expect(served.body).not.toContain('Ada')
    const rows = await registry.sequencer.index.all('select * from entries')
    expect(JSON.stringify(rows)).not.toContain('ada@')
    expect(await resolved(domain)).toMatchObject({ brand_manifest: { description: 'Boots' } })
    const again = await setUp({ domain, brand_name: 'Acme Group' })
    expect(again.statusCode).toBe(200)
    expect((await get(`/brands/${domain}/brand.json`)).json().house.name).toBe('Acme Group')
    const edited = { domain, brand_name: 'Acme', brand_manifest: { description: 'Shoes' } }
    expect((await post('save', edited)).statusCode).toBe(200)
    const file = (await get(`/brands/${domain}/brand.json`)).json()
    expect(file.brands[0].description).toBe('Shoes')
  })

  test('serves a submitted file with the time of its save, where it states a time at all', async () => {
    const domain = 'dated.acme.example'
    const save = async (more: object) => {
      const brand_json = house(domain, more)
      const answer = await setUp({ domain, brand_name: 'Acme', brand_json })
      expect(answer.statusCode, answer.body).toBe(200)
      return (await get(`/brands/${domain}/brand.json`)).json().last_updated
    }
    const last_updated = '2026-01-01T00:00:00Z'
    expect(Date.parse(await save({ last_updated }))).toBe(registry.clock.now())
    registry.clock.tick(60_000)
    expect(Date.parse(await save({ last_updated }))).toBe(registry.clock.now())
    expect(await save({})).toBeUndefined()
  })

  test('is a version that names the fields which it changed', async () => {
    const domain = 'named.acme.example'
    const [brand] = house(domain).brands as [object]
    const odd = { 'Ä <b>': 1, a: 1, b: 1, c: 1, d: 1, e: 1 }
    const files = [
      house(domain),
      house(domain),
      house(domain, { last_updated: '2026-01-01T00:00:00Z', trademarks: [] }),
      house(domain, { brands: [{ ...brand, tagline: 'Walk', description: 'Shoes' }] }),
      house(domain, { brands: [{ ...brand, ...odd }] }),
      house(domain, { brands: [brand, { ...brand, id: 'other' }] }),
    ]
    for (const brand_json of files) {
      const answer = await setUp({ domain, brand_name: 'Acme', brand_json })
      expect(answer.statusCode, answer.body).toBe(200)
    }
    const { revisions } = (await get(`/api/brands/history?domain=${domain}`)).json()
    expect(revisions.map((one: { edit_summary: string }) => one.edit_summary).reverse()).toEqual([
      'Saved the brand',
      'Saved with the same content',
      'Fields changed: trademarks',
      'Fields changed: description, tagline, trademarks',
      'Fields changed: description, a, b, c, d, 3 more',
      'Fields changed: brands',
    ])
  })

  test('stores a file of which the checker only warns, and reads it without that', async () => {
    const domain = 'warned.acme.example'
    const file = house(domain)
    const [brand] = file.brands as [object]
    const odd = { colors: { primary: 'red' }, logos: ['https://acme.example/l.png'] }
    const brand_json = { ...file, brands: [{ ...brand, ...odd }] }
    const answer = await setUp({ domain, brand_name: 'Acme', brand_json })
    expect(answer.statusCode, answer.body).toBe(200)
    expect((await get(`/brands/${domain}/brand.json`)).json().brands[0]).toMatchObject(odd)
    const { brand_manifest } = await resolved(domain)
    expect(brand_manifest).toMatchObject({ description: 'Boots' })
    expect(brand_manifest).not.toHaveProperty('colors')
  })

  test.each([
    ['another house', house('other.example')],
    ['a pointer', { authoritative_location: 'https://x.example/brand.json' }],
    ['no brand', { hello: 'world' }],
    ['a brand without an id', { ...house('a.acme.example'), brands: [{ names: [{ en: 'A' }] }] }],
    ['too much', house('a.acme.example', { note: 'x'.repeat(110_000) })],
  ])('400: the file is %s', async (_, brand_json) => {
    const answer = await setUp({ domain: 'a.acme.example', brand_name: 'A', brand_json })
    expect([answer.statusCode, answer.json().error]).toMatchObject([
      400,
      expect.stringContaining('brand_json'),
    ])
  })

  test.each([
    { logo_url: 'no address' },
    { logo_url: 'http://a.example/l.png' },
    { logo_url: 'https://u:p@a.example/l.png' },
    { brand_color: 'red' },
    { brand_name: '' },
    { domain: 'no domain' },
  ])('400: %o', async more => {
    const answer = await setUp({ domain: 'a.acme.example', brand_name: 'A', ...more })
    expect(answer.statusCode).toBe(400)
  })

  test('403: the organization has not verified the domain', async () => {
    web.origin.asked.length = 0
    const answer = await setUp({ domain: 'acme.example', brand_name: 'A' }, stranger)
    expect([answer.statusCode, answer.json().code]).toEqual([403, 'ownership_proof_required'])
    // The domain is not even asked.
    expect(web.origin.asked).toEqual([])
  })

  test('saves nothing where the domain publishes a file of its own', async () => {
    const domain = 'own.acme.example'
    const own = { id: 'own', names: [{ en: 'Own' }] }
    web.hosts[domain] = { '/.well-known/brand.json': own }
    const answer = await setUp({ domain, brand_name: 'Told' })
    expect(answer.json()).toMatchObject({ domain, has_brand_json: true })
    expect((await get(`/api/brands/resolve?domain=${domain}`)).statusCode).toBe(404)
  })

  test('continues where the domain already points to the hosted file', async () => {
    const domain = 'here.acme.example'
    await setUp({ domain, brand_name: 'First' })
    const authoritative_location = `https://registry.example/brands/${domain}/brand.json`
    web.hosts[domain] = { '/.well-known/brand.json': { authoritative_location } }
    await registry.observe({
      kind: 'brand.json',
      location: domain,
      document: { variant: 'authoritative_location', authoritative_location } as BrandDocument,
    })
    expect(await resolved(domain)).toMatchObject({ source: 'brand_json', brand_name: 'First' })
    web.hosts['registry.example'] = {
      [`/brands/${domain}/brand.json`]: (await get(`/brands/${domain}/brand.json`)).json(),
    }
    const answer = await setUp({ domain, brand_name: 'Second', brand_color: '#000000' })
    expect(answer.json()).toMatchObject({ has_brand_json: false })
    expect(await resolved(domain)).toMatchObject({ source: 'brand_json', brand_name: 'Second' })
  })
})

describe('a submitted brand', () => {
  test('is shown with its fields once a moderator has approved it', async () => {
    const saved = {
      domain: 'https://Found.example/',
      brand_name: 'Found',
      house_domain: 'big.example',
      keller_type: 'sub_brand',
      parent_brand: 'big',
      brand_manifest: { description: 'New' },
    }
    const answer = await submit(saved)
    expect(answer.statusCode, answer.body).toBe(200)
    const { brand, review_status } = answer.json()
    expect([review_status, brand.domain]).toEqual(['pending', 'found.example'])
    expect((await get('/api/brands/resolve?domain=found.example')).statusCode).toBe(404)
    expect((await submit(saved)).statusCode).toBe(409)
    expect((await post('save', { domain: 'found.example', brand_name: 'X' })).statusCode).toBe(409)
    const { digest } = (await registry.sequencer.accounts.db.one<{ digest: string }>(
      `select digest from reviews where subject = 'found.example'`,
    ))!
    const decision = { review_id: brand.id, digest, reviewer: 'operator' }
    const [approved] = await registry.submit({ op: 'review.approve', ...decision })
    expect(approved).toMatchObject({ done: { domain: 'found.example' } })
    expect(await resolved('found.example')).toMatchObject({
      brand_name: 'Found',
      source: 'community',
      keller_type: 'sub_brand',
      claimed_house_domain: 'big.example',
      brand_manifest: { description: 'New' },
    })
    expect((await submit(saved)).statusCode).toBe(409)
    const revisions = await registry.sequencer.index.all<{ revision_id: string }>(
      `select revision_id, editor_id from revisions where domain = 'found.example'`,
    )
    expect(revisions).toMatchObject([{ revision_id: brand.id }])
  })

  test('is deleted when it is rejected, and may be submitted again', async () => {
    const { brand } = (await submit({ domain: 'wrong.example' })).json()
    expect(brand).toMatchObject({ brand_name: 'wrong.example', review_status: 'pending' })
    const { digest } = (await registry.sequencer.accounts.db.one<{ digest: string }>(
      `select digest from reviews where subject = 'wrong.example'`,
    ))!
    const decision = { review_id: brand.id, digest, reviewer: 'operator', notes: 'no brand' }
    await registry.submit({ op: 'review.reject', ...decision })
    expect((await get('/api/brands/resolve?domain=wrong.example')).statusCode).toBe(404)
    expect((await submit({ domain: 'wrong.example' })).statusCode).toBe(200)
  })

  test('403 for non-members, 409 for a known brand', async () => {
    expect((await submit({ domain: 'x.example' }, stranger)).statusCode).toBe(403)
    await registry.observe(observeBrandFile('known.example', 'Known'))
    expect((await submit({ domain: 'known.example' })).statusCode).toBe(409)
  })
})

test('all stores agree, also after a restart', async () => {
  await registry.publish()
  expect(await registry.verify()).toEqual([])
  await registry.restart()
  expect(await registry.verify()).toEqual([])
})
