import { randomUUID } from 'node:crypto'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { WriterClient } from '../../jobs/api-client/writer-client.ts'
import { BrandRefresher } from '../../jobs/indexer/refresh-brands.ts'
import { listAuditRows } from '../../pipeline/accounts/audit.ts'
import { DAY } from '../../pipeline/core/clock.ts'
import { refuse } from '../../pipeline/core/errors.ts'
import { silentLog } from '../../pipeline/core/log.ts'
import type { Enrichment } from '../../pipeline/model/enrichment.ts'
import { Operation } from '../../pipeline/model/submission.ts'
import { observeBrandFile } from '../support/fixtures/documents.ts'
import { createModerator } from '../support/fixtures/mirrors.ts'
import { openRegistry } from '../support/registry/app.ts'
import { enrol, proveOwnership } from '../support/registry/members.ts'
import { openForAll } from '../support/runner/open-for-all.ts'

const saves = { savesPerHour: 10_000, savesPerOrganizationHour: 10_000, enrichedBrands: 30 }
// Each call looks anew, whatever was answered a moment ago.
const looks = { answerKeptSeconds: 0 }
const registry = openForAll(() =>
  openRegistry({
    ownRedis: true,
    writer: { requestLive },
    limits: { ...saves, ...looks },
  }),
)
let acme: string
/** Facts that the web has about a brand now; undefined if no crawler answers. */
let web: Enrichment | null | undefined
let asked: string[] = []

const requestLive = (async (request: { kind: string; domain: string }) => {
  if (request.kind !== 'enrich_brand') return { host: 'public' }
  asked.push(request.domain)
  return web === undefined ? refuse('unavailable', 'nobody is there') : { enrichment: web }
}) as WriterClient['requestLive']

const found = (name: string, more: object = {}): Enrichment => ({
  provider: 'home_page',
  company: { name: `${name} Ltd` },
  manifest: { name, url: 'https://x.example/', description: 'Found words', ...more },
})

beforeAll(async () => {
  acme = await enrol(registry, { org: 'Acme', domains: ['acme.example'] })
})

beforeEach(() => {
  web = found('Found')
  asked = []
})

const get = async (path: string) => (await registry.app.inject(`/api/${path}`)).json()
const enrich = (domain: string) => get(`brands/enrich?domain=${domain}`)
const resolve = (domain: string) => get(`brands/resolve?domain=${domain}`)

function save(domain: string, brand_name: string, more: object = {}) {
  return registry.send('POST', '/api/brands/save', {
    key: acme,
    payload: { domain, brand_name, ...more },
  })
}

describe('an enriched brand', () => {
  test('is stored: resolve, lists, search and history show it with its source', async () => {
    const domain = 'lemonade.example'
    web = found('Lemonade')
    expect(await enrich(domain)).toMatchObject({ cached: false, source_type: 'enriched' })
    const at = '2026-11-20T03:00:00.000Z'
    const resolved = await resolve(domain)
    expect(resolved).toMatchObject({
      canonical_id: domain,
      canonical_domain: domain,
      brand_name: 'Lemonade',
      source: 'enriched',
      enrichment: { provider: 'home_page', found_at: at, unchanged_since: at },
      brand_manifest: {
        name: 'Lemonade',
        description: 'Found words',
        company: { name: 'Lemonade Ltd' },
      },
    })
    expect(resolved.brand_manifest.enrichment).toBeUndefined()
    const bulk = await registry.send('POST', '/api/brands/resolve/bulk', {
      payload: { domains: [domain] },
    })
    expect(bulk.json().results[domain]).toMatchObject({ source: 'enriched' })
    expect(await get(`brands/history?domain=${domain}`)).toMatchObject({
      total: 1,
      revisions: [{ revision_number: 1, editor_name: 'system', source: 'enriched' }],
    })
    await registry.publish()
    const { brands, stats } = await get('brands/registry?source=enriched')
    expect(brands).toMatchObject([
      { domain, source: 'enriched', verified: false, has_manifest: true },
    ])
    expect(stats).toMatchObject({ enriched: 1 })
    expect((await get('search?q=lemonade')).brands).toMatchObject([{ domain, source: 'enriched' }])
    const [revision] = await registry.sequencer.index.all(
      `select editor_id, source, edit_summary from revisions`,
    )
    expect(revision).toEqual({
      editor_id: 'system',
      source: 'enriched',
      edit_summary: 'Found on its home page',
    })
    expect(await registry.verify()).toEqual([])
  })

  test('answers the next caller without a fetch until it has aged', async () => {
    const domain = 'kept.example'
    await enrich(domain)
    web = undefined
    expect(await enrich(domain)).toMatchObject({
      success: true,
      domain,
      cached: true,
      source_type: 'enriched',
      provider: 'home_page',
      manifest: { name: 'Found', description: 'Found words' },
      company: { name: 'Found Ltd' },
      found_at: expect.any(String),
    })
    expect(asked).toEqual([domain])
    registry.clock.tick(29 * DAY)
    expect(await enrich(domain)).toMatchObject({ cached: true })
    expect(asked).toEqual([domain])
  })

  test('is fetched again once it has aged, and stays while that is impossible', async () => {
    const domain = 'aged.example'
    const { found_at } = await enrich(domain)
    registry.clock.tick(30 * DAY)
    for (const answer of [undefined, null]) {
      web = answer
      expect(await enrich(domain)).toMatchObject({ cached: true, found_at })
    }
    expect(asked).toEqual([domain, domain, domain])
    web = found('Renamed')
    expect(await enrich(domain)).toMatchObject({ cached: false, manifest: { name: 'Renamed' } })
    expect(await resolve(domain)).toMatchObject({ source: 'enriched', brand_name: 'Renamed' })
    const { total, revisions } = await get(`brands/history?domain=${domain}`)
    expect([total, revisions]).toMatchObject([
      2,
      [
        { revision_number: 2, editor_name: 'system', source: 'enriched', is_rollback: false },
        { revision_number: 1, editor_name: 'system' },
      ],
    ])
  })

  test('is fetched less often each time it was unchanged', async () => {
    const domain = 'same.example'
    const looked = async (days: number) => {
      registry.clock.tick(days * DAY)
      asked = []
      await enrich(domain)
      return asked.length
    }
    await enrich(domain)
    const path = [29, 1, 29, 1, 59, 1, 119, 1, 179, 1, 179, 1]
    const times: number[] = []
    for (const days of path) times.push(await looked(days))
    expect(times).toEqual([0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1])
    const { revisions } = await get(`brands/history?domain=${domain}`)
    expect(revisions[0].edit_summary).toBe('Found unchanged on its home page')
    expect(await registry.verify()).toEqual([])
  })

  test('contains no email address', () => {
    const personal = { contact: { email: 'jo@x.example' }, email: 'jo@x.example' }
    const operation = Operation.parse({
      op: 'brand.enrich',
      revision_id: randomUUID(),
      domain: 'mail.example',
      found_at: '2026-11-20T03:00:00Z',
      enrichment: found('Mail', personal),
    })
    expect(JSON.stringify(operation)).not.toContain('jo@')
    expect(operation).toMatchObject({ enrichment: { manifest: { name: 'Mail' } } })
  })
})

describe('it never replaces better sources', () => {
  test('a brand’s own file replaces it, and it never replaces a file', async () => {
    const domain = 'filed.example'
    await enrich(domain)
    await registry.observe(observeBrandFile(domain, 'Filed'))
    expect(await resolve(domain)).toMatchObject({ source: 'brand_json', brand_name: 'Filed' })
    const { source, enrichment } = await resolve(domain)
    expect([source, enrichment]).toEqual(['brand_json', undefined])
    const [answer] = await registry.submit({
      op: 'brand.enrich',
      revision_id: randomUUID(),
      domain,
      found_at: '2026-11-20T03:00:00Z',
      enrichment: found('Other'),
    } as never)
    expect(answer).toMatchObject({ refused: expect.stringContaining('brand.json') })
    expect(await registry.verify()).toEqual([])
  })

  test('a house that is known only by name keeps its source', async () => {
    const domain = 'leaf.example'
    await registry.observe(
      {
        kind: 'brand.json',
        location: domain,
        document: { variant: 'house_redirect', house: 'house.example' },
      },
      { kind: 'brand.json', location: 'house.example', outcome: 'absent', status: 404 },
    )
    expect(await enrich(domain)).toMatchObject({ cached: false })
    expect(await resolve(domain)).toMatchObject({ source: 'brand_json' })
  })

  test('a member’s entry replaces it, and keeps the fields that the member did not give', async () => {
    const domain = 'told.acme.example'
    await proveOwnership(registry, 'Acme', 'acme.example')
    await enrich(domain)
    const saved = await save(domain, 'Told')
    expect(saved.json()).toMatchObject({ revision_number: 2 })
    const communityBrand = { source: 'community', brand_name: 'Told' }
    expect(await resolve(domain)).toMatchObject({
      ...communityBrand,
      brand_manifest: { description: 'Found words' },
    })
    expect((await resolve(domain)).enrichment).toBeUndefined()
    registry.clock.tick(200 * DAY)
    asked = []
    expect(await enrich(domain)).toMatchObject({ cached: true, source_type: 'community' })
    expect(asked).toEqual([])
    expect(await registry.verify()).toEqual([])
  })

  test('with both in one commit the member’s entry counts, in any order', async () => {
    const editor = { kind: 'command', id: 'root', org_id: null } as const
    for (const order of [0, 1]) {
      const domain = `both${order}.acme.example`
      const saving = { op: 'brand.save', revision_id: randomUUID(), domain, brand_name: 'Told' }
      const finding = { op: 'brand.enrich', revision_id: randomUUID(), domain }
      const operations = [
        { ...saving, editor },
        { ...finding, found_at: '2026-11-20T03:00:00Z', enrichment: found('Found') },
      ]
      const proven = await enrol(registry, { org: `Both ${order}`, domains: [domain] })
      expect(proven).toBeDefined()
      const org = { kind: 'key', id: 'k', org_id: await findOrgId(`Both ${order}`) }
      operations[0] = { ...operations[0], editor: org } as never
      if (order === 1) operations.reverse()
      await registry.submit(...(operations as never[]))
      expect(await resolve(domain)).toMatchObject({ source: 'community', brand_name: 'Told' })
    }
    expect(await registry.verify()).toEqual([])
  })

  test('a withdrawn entry stays withdrawn', async () => {
    const domain = 'withdrawn.example'
    await enrich(domain)
    const [row] = await listAuditRows(registry.sequencer.accounts.db, {
      operation: 'brand.enrich',
      domain,
      limit: 1,
    })
    const editor = { kind: 'command', id: 'root', org_id: null } as const
    const revert = { op: 'audit.revert', reverts: row!.submission_id, editor } as const
    expect((await registry.submit(revert))[0]).toHaveProperty('done')
    expect(await resolve(domain)).toHaveProperty('error')
    expect(await enrich(domain)).toMatchObject({ cached: false })
    expect(await resolve(domain)).toHaveProperty('error')
    expect(await registry.verify()).toEqual([])
  })

  test('a member may roll back to it, and then it is refreshed again', async () => {
    const domain = 'back.acme.example'
    await enrich(domain)
    await proveOwnership(registry, 'Acme', 'acme.example')
    expect((await save(domain, 'Told')).statusCode).toBe(200)
    expect(await resolve(domain)).toMatchObject({ source: 'community' })
    const secret = await createModerator(registry)
    const answer = await registry.send('POST', `/api/brands/discovered/${domain}/rollback`, {
      key: secret,
      payload: { to_revision: 1 },
    })
    expect(answer.statusCode, answer.body).toBe(200)
    expect(await resolve(domain)).toMatchObject({ source: 'enriched', brand_name: 'Found' })
  })

  test('it is no file that a domain can point to', async () => {
    const domain = 'pointing.example'
    await enrich(domain)
    const hosted = await registry.app.inject(`/brands/${domain}/brand.json`)
    expect(hosted.statusCode).toBe(404)
    expect(await get(`brands/brand-json?domain=${domain}`)).toMatchObject({
      url: `https://${domain}/`,
      data: { name: 'Found' },
    })
    const authoritative_location = `https://registry.example/brands/${domain}/brand.json`
    await registry.observe({
      kind: 'brand.json',
      location: domain,
      document: { variant: 'authoritative_location', authoritative_location },
    })
    expect(await resolve(domain)).toMatchObject({ source: 'enriched' })
    expect(await registry.verify()).toEqual([])
  })
})

describe('storage is bounded', () => {
  test('a brand with a look-alike name is returned to the caller and not stored', async () => {
    await registry.observe(observeBrandFile('summer-house.com', 'Summer House'))
    const domain = 'surnmer-house.com'
    expect(await enrich(domain)).toMatchObject({ cached: false })
    expect(await resolve(domain)).toHaveProperty('error')
  })

  test('only a bounded number is stored; the oldest of the caller with most give way, and others are refreshed', async () => {
    const url = (domain: string) => `/api/brands/enrich?domain=${domain}`
    const enrichAs = (remoteAddress: string, domain: string) =>
      registry.app.inject({ url: url(domain), remoteAddress })
    const flood = '192.0.2.66'
    for (let i = 0; i < 40; i++) await enrichAs(flood, `many${i}.example`)
    await enrichAs('192.0.2.1', 'late.example')
    await enrichAs(flood, 'many40.example')
    await registry.publish()
    const { stats } = await get('brands/registry?limit=1')
    expect(stats.enriched).toBe(30)
    for (const name of ['many40', 'many39', 'late', 'lemonade', 'told.acme']) {
      expect(await resolve(`${name}.example`)).toMatchObject({ source: expect.any(String) })
    }
    expect(await resolve('many0.example')).toHaveProperty('error')
    expect(await get('brands/history?domain=many0.example')).toHaveProperty('error')
    expect(await registry.verify()).toEqual([])
    await enrichAs(flood, 'many0.example')
    expect(await get('brands/history?domain=many0.example')).toMatchObject({ total: 1 })
    expect(await registry.verify()).toEqual([])
    web = found('Fresh')
    registry.clock.tick(31 * DAY)
    await enrich('lemonade.example')
    expect(await resolve('lemonade.example')).toMatchObject({ brand_name: 'Fresh' })
    expect(await registry.verify()).toEqual([])
  })
})

describe('without a request', () => {
  test('aged entries are fetched again, failed ones once a day', async () => {
    const { clock, config, sequencer } = registry
    const submit: WriterClient['submit'] = async operation => (await registry.submit(operation))[0]!
    const writer = { requestLive, submit }
    const refresher = new BrandRefresher({
      sequencer,
      writer,
      limits: config.LIMITS,
      clock,
      log: silentLog,
    })
    registry.clock.tick(400 * DAY)
    web = null
    expect(await refresher.refreshNext()).toBe(0)
    expect(asked).toHaveLength(20)
    asked = []
    web = found('Refreshed')
    const left = await refresher.refreshNext()
    expect([left, asked.length]).toEqual([left, left])
    expect(left).toBeGreaterThan(0)
    clock.tick(DAY)
    expect(await refresher.refreshNext()).toBe(20)
    expect(await refresher.refreshNext()).toBe(0)
    expect(await resolve('lemonade.example')).toMatchObject({ brand_name: 'Refreshed' })
    expect(await resolve('told.acme.example')).toMatchObject({ brand_name: 'Told' })
    expect(await registry.verify()).toEqual([])
  })
})

async function findOrgId(name: string): Promise<string> {
  const row = await registry.sequencer.accounts.db.one<{ org_id: string }>(
    'select org_id from organizations where name = $name',
    { name },
  )
  return row!.org_id
}
