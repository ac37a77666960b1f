import { createHash, randomUUID } from 'node:crypto'
import { RegistryClient } from '@adcp/sdk'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DAY, HOUR } from '../../pipeline/core/clock.ts'
import { refuse } from '../../pipeline/core/errors.ts'
import { observeBrandFile, observePublisherFile } from '../support/fixtures/documents.ts'
import { startRedis } from '../support/processes/redis.ts'
import { openRegistry, type TestRegistry } from '../support/registry/app.ts'
import { enrol, proveOwnership } from '../support/registry/members.ts'
import { openForAll } from '../support/runner/open-for-all.ts'

const redis = openForAll(startRedis)
let registry: TestRegistry
let acme: string

beforeAll(async () => {
  const limits = { savesPerHour: 10_000, savesPerOrganizationHour: 10_000 }
  const more = { savesPerOrganizationDay: 10_000 }
  registry = await openRegistry({ redis: redis.redis, limits: { ...limits, ...more } })
  acme = await enrol(registry, { org: 'Acme', domains: ['acme.example', 'told.example'] })
  await registry.observe(
    observeBrandFile('crawled.example', 'Crawled'),
    observePublisherFile('crawled.example', { sites: ['crawled.example'], agents: [] }),
  )
})

afterAll(async () => {
  await registry.close()
})

interface SaveBody {
  secret?: string
  key?: string
  on?: TestRegistry
}

function post(path: string, payload: object | string, given: SaveBody = {}) {
  const { secret = acme, key, on = registry } = given
  return on.send('POST', path, {
    key: secret,
    headers: {
      'content-type': 'application/json',
      ...(key !== undefined && { 'idempotency-key': key }),
    },
    payload,
  })
}
const saveBrand = (payload: object | string, given?: SaveBody) =>
  post('/api/brands/save', payload, given)
const saveProperties = (payload: object, given?: SaveBody) =>
  post('/api/properties/save', payload, given)
const get = async (path: string) => (await registry.app.inject(`/api/${path}`)).json()

describe('POST /api/brands/save', () => {
  test('200: a new brand is shown at once with the given fields', async () => {
    const brand_manifest = { description: 'Boots', logos: [{ url: 'https://x.example/l.svg' }] }
    const answer = await saveBrand({
      domain: 'https://Shoes.ACME.example/about',
      brand_name: 'Acme Shoes',
      brand_manifest,
      sandbox: true,
      house_domain: 'other.example',
    })
    expect(answer.statusCode, answer.body).toBe(200)
    const { id, ...rest } = answer.json()
    expect(id).toMatch(/^[0-9a-f-]{36}$/)
    expect(rest).toEqual({ success: true, message: 'Brand saved', domain: 'shoes.acme.example' })
    expect(answer.headers['ratelimit-remaining']).toBeDefined()
    expect(await get('brands/resolve?domain=shoes.acme.example')).toMatchObject({
      canonical_id: 'shoes.acme.example',
      canonical_domain: 'shoes.acme.example',
      brand_name: 'Acme Shoes',
      source: 'community',
      brand_manifest: { name: 'Acme Shoes', ...brand_manifest },
      freshness: { state: 'never_crawled' },
    })
    expect(await get('brands/history?domain=shoes.acme.example')).toMatchObject({
      total: 1,
      revisions: [{ revision_number: 1, editor_name: 'Acme' }],
    })
  })

  test('200: an edit is the next revision of the same entry and names its editor', async () => {
    const first = (await saveBrand({ domain: 'told.example', brand_name: 'Told' })).json()
    const edits = [
      { brand_name: 'Told', brand_manifest: { description: 'one' } },
      { brand_name: 'Told Ltd' },
      { brand_name: 'Told Ltd', brand_manifest: null },
    ]
    const shown: unknown[] = []
    for (const [i, edit] of edits.entries()) {
      const answer = (await saveBrand({ domain: 'told.example', ...edit })).json()
      expect(answer).toMatchObject({ id: first.id, revision_number: i + 2 })
      const { brand_name, brand_manifest } = await get('brands/resolve?domain=told.example')
      shown.push([brand_name, brand_manifest])
    }
    expect(shown).toEqual([
      ['Told', { name: 'Told', description: 'one' }],
      ['Told Ltd', { name: 'Told Ltd', description: 'one' }],
      ['Told Ltd', undefined],
    ])
    const { total, revisions } = await get('brands/history?domain=told.example')
    expect(total).toBe(4)
    expect(revisions[0]).toMatchObject({
      revision_number: 4,
      editor_name: 'Acme',
      source: 'community',
      is_rollback: false,
    })
  })

  test('200: lists, searches and exports show it without its editor', async () => {
    await saveBrand({ domain: 'listed.acme.example', brand_name: 'Listed Lemonade' })
    await registry.publish()
    const { brands, stats } = await get('brands/registry?source=community&limit=100')
    const listed = brands.find(({ domain }: { domain: string }) => domain === 'listed.acme.example')
    expect(listed).toMatchObject({ source: 'community', verified: false, has_manifest: false })
    expect(stats.community).toBe(brands.length)
    expect((await get('brands/find?q=listed lemonade')).results[0]).toMatchObject({
      domain: 'listed.acme.example',
      source: 'community',
    })
    expect((await get('search?q=lemonade')).brands[0].domain).toBe('listed.acme.example')
  })

  test('400: missing fields, an invalid domain, too many or non-text values', async () => {
    const facts = { domain: 'acme.example', brand_name: 'Acme' }
    const wrong = [
      [{ brand_name: 'Acme' }, '`domain` is required.'],
      [{ domain: 'acme.example' }, '`brand_name` is required.'],
      [{ ...facts, domain: 'acme' }, '`domain` must be a domain name such as acme.example.'],
      [{ ...facts, brand_name: ' ' }, expect.stringMatching(/^`brand_name` /)],
      [
        { ...facts, brand_name: '\ud800' },
        expect.stringMatching(/^`brand_name` must be well-formed/),
      ],
      [{ ...facts, brand_manifest: [] }, expect.stringMatching(/^`brand_manifest` /)],
      [{ ...facts, brand_manifest: { logos: 'x' } }, '`brand_manifest.logos` must be a list.'],
      [
        { ...facts, brand_manifest: { logos: [{ tags: ['icon'] }] } },
        '`brand_manifest.logos[0].url` is required.',
      ],
      [
        { ...facts, brand_manifest: { logos: [{ url: 'javascript:1' }] } },
        expect.stringMatching(/^`brand_manifest\.logos\[0\]\.url` must be an address/),
      ],
      [
        { ...facts, brand_manifest: { url: 'javascript:1' } },
        '`brand_manifest.url` must be a web address, or a domain.',
      ],
      [
        { ...facts, brand_manifest: { colors: 'red' } },
        expect.stringMatching(/^`brand_manifest\.colors` /),
      ],
      [
        { ...facts, brand_manifest: { description: 7 } },
        '`brand_manifest.description` must be a string.',
      ],
      [{ ...facts, brand_manifest: { a: 'a\u0000' } }, expect.stringMatching(/^`brand_manifest` /)],
      [
        { ...facts, brand_manifest: { a: 'x'.repeat(100 * 1024) } },
        '`brand_manifest` must be at most 100 KB.',
      ],
    ] as const
    for (const [payload, error] of wrong) {
      const answer = await saveBrand(payload)
      expect([answer.statusCode, answer.json().error]).toEqual([400, error])
    }
    const poisoned = '{"domain":"acme.example","brand_name":"A","__proto__":{"x":1}}'
    expect((await saveBrand(poisoned)).statusCode).toBe(400)
    expect((await get('brands/history?domain=acme.example')).error).toBeDefined()
  })

  test('401 comes before validation of the body', async () => {
    expect((await saveBrand({}, { secret: '' })).statusCode).toBe(401)
    expect((await saveBrand({}, { secret: 'sk_wrong' })).statusCode).toBe(401)
  })

  test('403: without a proof, with an expired one, and with another organization’s', async () => {
    const other = await registry.createKey('Other')
    for (const domain of ['stranger.example', 'acme.example']) {
      const answer = await saveBrand({ domain, brand_name: 'X' }, { secret: other })
      expect(answer.statusCode).toBe(403)
      expect(answer.json()).toEqual({
        error: expect.stringContaining(domain),
        code: 'ownership_proof_required',
        message: expect.stringContaining(domain),
        domain,
        challenge_url: 'https://registry.example/api/registry/ownership/challenges',
      })
    }
    expect((await saveBrand({ domain: 'stranger.example', brand_name: 'X' })).statusCode).toBe(403)
    expect(
      (await registry.app.inject('/api/brands/resolve?domain=stranger.example')).statusCode,
    ).toBe(404)
  })

  test('409: a brand with its own file, for every caller', async () => {
    const answer = await saveBrand({ domain: 'crawled.example', brand_name: 'X' })
    expect(answer.statusCode).toBe(409)
    // Whoever speaks for itself is no question of proofs, so nothing leads there.
    expect(answer.json()).toEqual({
      error: expect.stringContaining('brand.json'),
      code: 'conflict',
      domain: 'crawled.example',
    })
  })

  test('an entry is replaced by the domain’s own file, and returns when that is gone', async () => {
    const domain = 'later.acme.example'
    await saveBrand({ domain, brand_name: 'Before' })
    await registry.observe(observeBrandFile(domain, 'After'))
    expect(await get(`brands/resolve?domain=${domain}`)).toMatchObject({
      brand_name: 'After',
      source: 'brand_json',
    })
    expect((await saveBrand({ domain, brand_name: 'Again' })).statusCode).toBe(409)
    expect((await get(`brands/history?domain=${domain}`)).total).toBe(1)
    for (let days = 0; days < 9; days++) {
      registry.clock.tick(DAY)
      await registry.observe({
        kind: 'brand.json',
        location: domain,
        outcome: 'absent',
        status: 404,
      })
    }
    await registry.sequencer.tick()
    await registry.reader.refresh()
    expect(await get(`brands/resolve?domain=${domain}`)).toMatchObject({
      brand_name: 'Before',
      source: 'community',
    })
    expect(await registry.verify()).toEqual([])
  })
})

describe('POST /api/properties/save', () => {
  const domain = 'news.acme.example'
  const facts = {
    publisher_domain: `https://${domain}/`,
    properties: [
      { type: 'website', name: 'News', identifiers: [{ type: 'domain', value: domain }] },
      { type: 'podcast', name: 'Morning' },
      { type: 'podcast', name: 'Evening', unknown: 1 },
    ],
    contact: { name: 'Jo Doe', email: 'jo.doe@acme.example' },
    authorized_agents: [{ url: 'https://evil.example/mcp', authorized_for: 'all' }],
  }

  test('200: new properties are shown at once, each with a permanent id', async () => {
    const answer = await saveProperties(facts)
    expect(answer.statusCode, answer.body).toBe(200)
    const { id, ...rest } = answer.json()
    expect(rest).toEqual({
      success: true,
      message: 'Properties saved; `authorized_agents` was ignored',
    })
    const resolved = await get(`properties/resolve?domain=${domain}`)
    expect(resolved).toMatchObject({
      publisher_domain: domain,
      source: 'hosted',
      verified: false,
      authorized_agents: [],
      contact: facts.contact,
    })
    expect(resolved.properties).toHaveLength(3)
    expect(resolved.properties[1]).toEqual({
      property_rid: expect.stringMatching(/^[0-9a-f-]{36}$/),
      type: 'podcast',
      property_type: 'podcast',
      name: 'Morning',
      identifiers: [{ type: 'domain', value: domain }],
      tags: [],
      status: 'active',
    })
    const [news, , evening] = resolved.properties
    const edited = [facts.properties[2], { ...facts.properties[0], name: 'The News' }]
    const edit = await saveProperties({ publisher_domain: domain, properties: edited })
    expect(edit.json()).toMatchObject({ id, revision_number: 2 })
    const after = await get(`properties/resolve?domain=${domain}`)
    expect(after.contact).toBeUndefined()
    expect(after.properties.map((args: object) => args)).toMatchObject([
      { property_rid: evening.property_rid, name: 'Evening' },
      { property_rid: news.property_rid, name: 'The News' },
    ])
    expect(await get(`registry/publisher?domain=${domain}`)).toMatchObject({
      domain,
      member: null,
      adagents_valid: null,
      authorized_agents: [],
      properties: [{ name: 'Evening', source: 'community' }, { name: 'The News' }],
    })
    expect((await get(`properties/history?domain=${domain}`)).total).toBe(2)
  })

  test.each([
    [{ type: 'websit' }, /`properties\[0\]\.type` .* Did you mean "website"\?$/],
    [
      { type: 'website', identifers: [] },
      /`properties\[0\]\.identifers`\. Did you mean `identifiers`/,
    ],
  ])('400: a misspelling in a property (%j), and nothing changes', async (property, error) => {
    const publisher_domain = 'typing.acme.example'
    const properties = [{ name: 'Typing', ...property }]
    const answer = await saveProperties({ publisher_domain, properties })
    expect([answer.statusCode, answer.json().error]).toEqual([400, expect.stringMatching(error)])
    expect(await get(`properties/resolve?domain=${publisher_domain}`)).toMatchObject({
      error: expect.any(String),
    })
  })

  test('200: a save without properties says that no file is hosted anymore', async () => {
    const publisher_domain = 'emptied.acme.example'
    const properties = [{ type: 'website', name: 'Emptied' }]
    expect((await saveProperties({ publisher_domain, properties })).statusCode).toBe(200)
    expect((await saveProperties({ publisher_domain })).json().message).toBe(
      'Properties saved as revision 2; no properties are left, so the registry hosts no file for this domain',
    )
  })

  test('200: lists and searches show them as community data, not as verified', async () => {
    await registry.observe(
      observePublisherFile('crawled.example', { sites: ['www.crawled.example'], agents: [] }),
    )
    await registry.publish()
    const { properties, stats } = await get('properties/registry?source=community')
    expect(properties.map(({ name }: { name: string }) => name)).toContain('The News')
    expect(properties[0]).toMatchObject({ verified: false, source: 'community', agent_count: 0 })
    expect(stats).toMatchObject({ community: properties.length, adagents_json: 1 })
    const found = await get('search?q=the news')
    expect(found.properties[0]).toMatchObject({ name: 'The News', source: 'contributed' })
  })

  test('200: the publisher’s own file keeps the ids and takes precedence', async () => {
    const before = await get(`properties/resolve?domain=${domain}`)
    const rid = before.properties.find(({ name }: { name: string }) => name === 'The News')
    const file = observePublisherFile(domain, {
      sites: [domain],
      agents: ['https://agent.example/mcp'],
    })
    await registry.observe(file)
    const after = await get(`properties/resolve?domain=${domain}`)
    expect(after).toMatchObject({ source: 'adagents_json', verified: true })
    expect(after.properties).toMatchObject([{ property_rid: rid.property_rid }])
    const refused = await saveProperties(facts)
    expect([refused.statusCode, refused.json().domain]).toEqual([409, domain])
    expect(await registry.verify()).toEqual([])
  })

  test('400, 401 and 403 as for brands', async () => {
    const wrong = { publisher_domain: 'acme.example', properties: [{ type: 'website' }] }
    expect((await saveProperties(wrong)).json().error).toBe('`properties[0].name` is required.')
    expect((await saveProperties({})).json().error).toBe('`publisher_domain` is required.')
    expect((await saveProperties({ domain: 'acme.example' })).json().error).toBe(
      'Unknown field `domain`. Did you mean `publisher_domain`?',
    )
    expect((await saveProperties({}, { secret: '' })).statusCode).toBe(401)
    expect((await saveProperties({ publisher_domain: 'stranger.example' })).statusCode).toBe(403)
  })
})

describe('saves of one entry', () => {
  test('by many organizations at once are numbered without gaps, each answer with its own number', async () => {
    const domain = 'busy.example'
    const secrets: string[] = []
    for (let org = 0; org < 10; org++) {
      secrets.push(await registry.createKey(`Busy ${org}`))
      await proveOwnership(registry, `Busy ${org}`, domain)
    }
    const answers = await Promise.all(
      Array.from({ length: 200 }, async (_, i) => {
        const secret = secrets[i % 10]!
        const saved = await saveBrand({ domain, brand_name: `Busy ${i}` }, { secret })
        return { i, number: saved.json().revision_number ?? 1 }
      }),
    )
    const numbers = answers.map(({ number }) => number).sort((a, b) => a - b)
    expect(numbers).toEqual(Array.from({ length: 200 }, (_, i) => i + 1))
    const rows = await registry.sequencer.index.all<{ n: number; name: string }>(
      `select revision_number as n, state->>'brand_name' as name from revisions
       where domain = '${domain}'`,
    )
    const named = new Map(rows.map(({ n, name }) => [n, name]))
    for (const { i, number } of answers) expect(named.get(number)).toBe(`Busy ${i}`)
    const last = await get(`brands/resolve?domain=${domain}`)
    expect(last.brand_name).toBe(named.get(200))
    expect((await get(`brands/history?domain=${domain}&limit=1`)).total).toBe(200)
  })

  test('with the same Idempotency-Key are one; another body under it is a conflict', async () => {
    const facts = { domain: 'once.acme.example', brand_name: 'Once' }
    const first = await saveBrand(facts, { key: 'k1' })
    const again = await saveBrand({ brand_name: 'Once', domain: facts.domain }, { key: 'k1' })
    expect(again.json()).toEqual(first.json())
    const other = await saveBrand({ ...facts, brand_name: 'Twice' }, { key: 'k1' })
    expect([other.statusCode, other.json().error]).toEqual([
      409,
      'This Idempotency-Key was used for a different request.',
    ])
    expect((await saveBrand(facts, { key: 'k2' })).json().revision_number).toBe(2)
    expect((await saveBrand(facts, { key: 'two words' })).statusCode).toBe(400)
    const same = { publisher_domain: facts.domain }
    expect((await saveProperties(same, { key: 'k1' })).statusCode).toBe(200)
  })
})

test.each(['brand', 'properties'])(
  'a save of a %s that lacked a proof is made under its key once the domain is verified',
  async kind => {
    const name = `Later ${kind}`
    const domain = `later-${kind}.example`
    const secret = await registry.createKey(name)
    const facts = { brand: { domain, brand_name: name }, properties: { publisher_domain: domain } }
    const save = () =>
      kind === 'brand'
        ? saveBrand(facts.brand, { secret, key: 'job' })
        : saveProperties(facts.properties, { secret, key: 'job' })
    const codes = [(await save()).json().code, (await save()).json().code]
    expect(codes).toEqual(['ownership_proof_required', 'ownership_proof_required'])
    await proveOwnership(registry, name, domain)
    const [saved, again] = [await save(), await save()]
    expect([saved.statusCode, again.json()]).toEqual([200, saved.json()])
    const recorded = registry.sequencer.accounts.db.all<{ answer: object }>(
      "select answer from submissions where content ->> '$.domain' = $domain and operation like '%.save' order by seq",
      { domain },
    )
    expect(recorded.map(({ answer }) => 'refused' in answer)).toEqual([true, true, false])
  },
)

test('a save with a lost answer is repeated under its key and happens once', async () => {
  let lost = 1
  const own: TestRegistry = await openRegistry({
    redis: redis.redis,
    writer: {
      async submit(operation, { submission_id = randomUUID(), ...given } = {}) {
        const submissions = [{ ...given, submission_id, operation }]
        const { answers } = await own.sequencer.commit({ observations: [], submissions })
        if (lost-- > 0) refuse('unavailable', 'too late', { retry_after: 5 })
        return answers.get(submission_id)!
      },
    },
  })
  const secret = await enrol(own, { org: 'Own', domains: ['own.example'] })
  const save = () =>
    saveBrand({ domain: 'own.example', brand_name: 'Own' }, { secret, key: 'k', on: own })
  const [first, again, third] = [await save(), await save(), await save()]
  expect([first, again, third].map(({ statusCode }) => statusCode)).toEqual([503, 200, 200])
  expect(again.json()).toEqual(third.json())
  expect(again.json().revision_number).toBeUndefined()
  expect(third.headers['ratelimit-remaining']).toBe('59')
  const rows = await own.sequencer.index.all('select * from revisions')
  expect(rows).toHaveLength(1)
  await own.close()
})

describe('the rate of saves', () => {
  let strict: TestRegistry
  beforeAll(async () => {
    const limits = { savesPerHour: 2, savesPerOrganizationHour: 3, savesPerOrganizationDay: 4 }
    strict = await openRegistry({ redis: redis.redis, limits })
  })
  afterAll(() => strict.close())

  test('429 per user and organization, before validation; a repeated request costs nothing', async () => {
    const secret = await enrol(strict, { org: 'Strict', domains: ['strict.example'] })
    const [org] = await strict.sequencer.accounts.db.all<{ org_id: string }>(
      `select org_id from organizations`,
    )
    const facts = { domain: 'strict.example', brand_name: 'Strict' }
    const save = (payload: object = facts, more: SaveBody = {}) =>
      saveBrand(payload, { secret, on: strict, ...more })
    const statuses = async (...given: Parameters<typeof save>[]) => {
      const all: number[] = []
      for (const args of given) all.push((await save(...args)).statusCode)
      return all
    }
    expect(await statuses([facts, { key: 'a' }], [facts, { key: 'a' }], [{}])).toEqual([
      200, 200, 400,
    ])
    const refused = await save({})
    expect(refused.statusCode).toBe(429)
    expect(refused.json()).toEqual({
      error: 'No more than 2 saves an hour. Try again in 60 minutes.',
      code: 'rate_limited',
      retry_after: 3_600,
    })
    expect(refused.headers['retry-after']).toBe('3600')
    const colleague = 'sk_colleague'
    const hash = createHash('sha256').update(colleague).digest('hex')
    await strict.submit({
      op: 'key.create',
      key_id: randomUUID(),
      org: org!.org_id,
      label: '',
      hash,
    })
    expect(await statuses([facts, { secret: colleague }])).toEqual([200])
    const full = await save(facts, { secret: colleague })
    expect(full.json().error).toBe(
      'No more than 3 saves an hour by one organization. Try again in 60 minutes.',
    )
    strict.clock.tick(HOUR)
    expect(await statuses([])).toEqual([200])
    expect((await save()).json()).toMatchObject({
      error: 'No more than 4 saves a day by one organization. Try again in 23 hours.',
      retry_after: 23 * 3_600,
    })
    strict.clock.tick(23 * HOUR)
    expect(await statuses([])).toEqual([200])
  })

  test('503: without Redis nothing can be counted', async () => {
    const emptyRegistry = await openRegistry()
    const secret = await emptyRegistry.createKey('Lonely')
    const answer = await saveBrand(
      { domain: 'x.example', brand_name: 'X' },
      { secret, on: emptyRegistry },
    )
    expect([answer.statusCode, answer.headers['retry-after']]).toEqual([503, '5'])
    await emptyRegistry.close()
  })

  test('a proof must be renewed after 90 days; a setting disables that', async () => {
    const own = await openRegistry({ redis: redis.redis })
    const secret = await enrol(own, { org: 'Own', domains: ['own.example'] })
    const facts = { domain: 'www.own.example', brand_name: 'Own' }
    own.clock.tick(90 * DAY - 1)
    expect((await saveBrand(facts, { secret, on: own })).statusCode).toBe(200)
    own.clock.tick(2)
    expect((await saveBrand(facts, { secret, on: own })).statusCode).toBe(403)
    await own.close()
    const settings = { REQUIRE_OWNERSHIP_PROOF: 'false' }
    const open = await openRegistry({ redis: redis.redis, settings })
    const anybody = await open.createKey('Anybody')
    expect((await saveBrand(facts, { secret: anybody, on: open })).statusCode).toBe(200)
    await open.close()
  })
})

test('public stores contain no contact and no name of an editor', async () => {
  const { index } = registry.sequencer
  const dump = JSON.stringify([
    await index.all('select * from entries'),
    await index.all('select * from revisions'),
  ])
  expect(dump).toContain('acme.example')
  expect(dump).not.toMatch(/jo\.doe|Jo Doe|"Acme"/)
})

describe('a rollback', () => {
  const rollBack = (path: string, to_revision: unknown, given?: SaveBody) =>
    post(`/api/${path}/rollback`, { to_revision }, given)
  let moderator: string

  beforeAll(async () => {
    moderator = await registry.createKey('Moderators')
    const { db } = registry.sequencer.accounts
    const key = await db.one<{ key_id: string }>(
      `select key_id from api_keys join organizations using (org_id) where name = 'Moderators'`,
    )
    const role = { op: 'role.grant', role: 'moderator', holder: 'key' } as const
    await registry.submit({ ...role, id: key!.key_id })
  })

  test('restores an earlier revision by a new one', async () => {
    const domain = 'back.acme.example'
    const path = `brands/discovered/${domain}`
    const secret = await enrol(registry, { org: 'Back', domains: [domain] })
    const first = { domain, brand_name: 'First', brand_manifest: { description: 'one' } }
    const { id } = (await saveBrand(first, { secret })).json()
    await saveBrand({ domain, brand_name: 'Second', brand_manifest: null }, { secret })
    await saveBrand({ domain, brand_name: 'Third' }, { secret })
    const answer = await rollBack(path, 1, { secret })
    expect(answer.statusCode, answer.body).toBe(200)
    expect(answer.json()).toEqual({
      brand: {
        id,
        domain,
        brand_name: 'First',
        brand_manifest: { description: 'one' },
        source: 'community',
        review_status: 'approved',
        updated_at: expect.any(String),
      },
      revision_number: 4,
    })
    expect(await get(`brands/resolve?domain=${domain}`)).toMatchObject({ brand_name: 'First' })
    const { total, revisions } = await get(`brands/history?domain=${domain}`)
    expect(total).toBe(4)
    expect(revisions[0]).toMatchObject({
      revision_number: 4,
      is_rollback: true,
      rolled_back_to: 1,
      editor_name: 'Back',
      edit_summary: 'Restored version 1',
    })
    expect((await rollBack(path, 3, { secret })).json()).toMatchObject({
      revision_number: 5,
      brand: { brand_name: 'Third' },
    })
  })

  test('to a revision that withdrew an entry shows nothing in its place', async () => {
    const domain = 'gone.acme.example'
    const secret = await enrol(registry, { org: 'Gone', domains: [domain] })
    await saveBrand({ domain, brand_name: 'First' }, { secret })
    const withdrawn = await registry.send('DELETE', `/api/brands/${domain}/hosted`, { key: secret })
    expect(withdrawn.json()).toMatchObject({ revision_number: 2 })
    await saveBrand({ domain, brand_name: 'Again' }, { secret })
    const path = `brands/discovered/${domain}`
    expect((await rollBack(path, 2, { secret })).json()).toMatchObject({ revision_number: 4 })
    expect(await get(`brands/resolve?domain=${domain}`)).toMatchObject({ code: 'not_found' })
    await saveBrand({ domain, brand_name: 'Later' }, { secret })
    expect(await get(`brands/resolve?domain=${domain}`)).toMatchObject({ brand_name: 'Later' })
  })

  test('of properties restores their ids and their contact', async () => {
    const domain = 'backs.acme.example'
    const path = `properties/hosted/${domain}`
    const contact = { email: 'first@acme.example' }
    const properties = [{ type: 'website', name: 'One' }]
    await saveProperties({ publisher_domain: domain, properties, contact })
    const before = await get(`properties/resolve?domain=${domain}`)
    await saveProperties({ publisher_domain: domain })
    expect((await get(`properties/resolve?domain=${domain}`)).properties).toEqual([])
    const stranger = await registry.createKey('Not theirs')
    expect((await rollBack(path, 1, { secret: stranger })).statusCode).toBe(403)
    const answer = await rollBack(path, 1)
    expect(answer.json()).toMatchObject({
      property: { publisher_domain: domain, authorized_agents: [], properties: [{ name: 'One' }] },
      revision_number: 3,
    })
    expect(await get(`properties/resolve?domain=${domain}`)).toEqual(before)
  })

  test('is refused without membership, without proof, for no entry, and for a brand with its own file', async () => {
    const path = 'brands/discovered/told.example'
    expect((await rollBack(path, 0)).statusCode).toBe(400)
    expect((await rollBack(path, 1, { secret: '' })).statusCode).toBe(401)
    const stranger = await registry.createKey('Strangers')
    expect((await rollBack(path, 1, { secret: stranger })).json().error).toContain('Only members')
    const member = await enrol(registry, { org: 'Members', domains: ['members.example'] })
    expect((await rollBack(path, 1, { secret: member })).json().code).toBe(
      'ownership_proof_required',
    )
    expect((await rollBack(path, 99)).statusCode).toBe(404)
    expect((await rollBack('brands/discovered/never.acme.example', 1)).statusCode).toBe(404)
    await registry.observe(observeBrandFile('crawled.example', 'Crawled'))
    expect((await rollBack('brands/discovered/crawled.example', 1)).statusCode).toBe(409)
    expect((await rollBack(path, 1, { secret: moderator })).statusCode).toBe(200)
  })

  test('leaves all stores in agreement', async () => {
    await registry.publish()
    expect(await registry.verify()).toEqual([])
  })
})

test('the public client saves brands and properties, and reads them back', async () => {
  const baseUrl = await registry.app.listen({ port: 0, host: '127.0.0.1' })
  const client = new RegistryClient({ baseUrl, apiKey: acme })
  const domain = 'client.acme.example'
  const logos = [{ url: 'https://client.acme.example/l.svg', tags: ['square'] }]
  const brand = { domain, brand_name: 'Client', brand_manifest: { name: 'Client', logos } }
  const first = await client.saveBrand(brand)
  expect(first).toMatchObject({ success: true, domain })
  expect(await client.saveBrand(brand)).toMatchObject({ id: first.id, revision_number: 2 })
  expect(await client.lookupBrand(domain)).toMatchObject({
    brand_name: 'Client',
    source: 'community',
    brand_manifest: { logos },
  })
  const saved = await client.saveProperty({
    publisher_domain: domain,
    authorized_agents: [{ url: 'https://agent.example/mcp' }],
    properties: [{ type: 'website', name: 'Client' }],
    contact: { name: 'Jo Doe' },
  })
  expect(saved.success).toBe(true)
  expect(await client.lookupProperty(domain)).toMatchObject({
    source: 'hosted',
    verified: false,
    authorized_agents: [],
    contact: { name: 'Jo Doe' },
    properties: [{ type: 'website', name: 'Client' }],
  })
  const history = await client.getBrandHistory({ domain })
  expect(history).toMatchObject({
    total: 2,
    revisions: [{ editor_name: 'Acme' }, { editor_name: 'Acme' }],
  })
  const all = await client.saveProperties([
    { publisher_domain: domain, authorized_agents: [] },
    { publisher_domain: 'stranger.example', authorized_agents: [] },
  ])
  expect(all).toMatchObject({
    [domain]: { success: true, revision_number: 2 },
    'stranger.example': { error: expect.stringContaining('403') },
  })
})
