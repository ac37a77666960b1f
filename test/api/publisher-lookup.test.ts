import { beforeAll, describe, expect, test } from 'vitest'
import type { Observation } from '../../pipeline/model/observation.ts'
import { observeFile, observeOutcome } from '../support/fixtures/observations.ts'
import { buildOperatorFile, publishFiles } from '../support/fixtures/operator-files.ts'
import { openRegistry } from '../support/registry/app.ts'
import { openForAll } from '../support/runner/open-for-all.ts'
import { buildPointer, buildShop, buildWebsite, grantByIds } from '../support/worlds/nights.ts'

const agent = (n: number) => `https://agent${n}.example/mcp`
let runs = 0
const registry = openForAll(openRegistry)

beforeAll(async () => {
  const named = (domain: string, id: string) =>
    buildWebsite(domain, {
      property_id: id,
      name: `Property ${id}`,
      identifiers: [{ type: 'domain', value: `${id}.${domain}` }],
    })
  await publishFiles(registry, {
    'acme.example': {
      ...buildShop('acme.example'),
      formats: [
        { format_kind: 'image', params: { width: 300 }, sample_render_url: 'http://x.example/a' },
        { format_kind: 'video', params: {}, display_name: 'Film' },
        { format_kind: 'audio' },
        { params: {} },
      ],
    },
    'brand acme.example': {
      ...buildOperatorFile([], [{ identifier: 'other.example' }]),
      names: [{ en: 'Acme' }],
      description: 'Sells everything',
      industries: ['retail'],
      colors: [{ hex: '#ff0000', type: 'primary' }],
    },
    'large.example': {
      properties: Array.from({ length: 7_000 }, (_, n) =>
        named('large.example', String(n).padStart(4, '0')),
      ),
      authorized_agents: Array.from({ length: 60 }, (_, n) =>
        grantByIds(agent(n), { property_ids: ['0000', '0001'] }),
      ),
    },
    'formats.example': {
      ...buildShop('formats.example'),
      formats: Array.from({ length: 250 }, (_, n) => ({
        format_option_id: `f${n}`,
        format_kind: 'image',
        params: { width: n },
        sample_render_url: n === 1 ? 'http://x.example/a' : 'https://x.example/a',
        experimental: 'very',
        colour: 'red',
      })),
    },
    'manager.example': buildShop('manager.example', {
      properties: [
        buildWebsite('manager.example'),
        buildWebsite('one.example'),
        buildWebsite('two.example'),
      ],
    }),
    'one.example': buildPointer('manager.example'),
    'two.example': buildPointer('manager.example'),
    'bare.example': buildShop('bare.example', { properties: [] }),
    'brand bare.example': buildOperatorFile(
      [],
      [
        { identifier: 'bare.example' },
        { identifier: 'sold.example', relationship: 'delegated' },
        { type: 'mobile_app', store: 'apple', identifier: 'com.bare' },
      ],
    ),
    'brand lone.example': buildOperatorFile([], [{ identifier: 'lone.example' }]),
  })
})

const lookUp = async (domain: string, query = '') => {
  const answer = await registry.app.inject(`/api/registry/publisher?domain=${domain}${query}`)
  expect(answer.statusCode).toBe(200)
  expect(Buffer.byteLength(answer.body)).toBeLessThan(256 * 1024)
  return answer.json()
}

describe('GET /api/registry/publisher', () => {
  test('200: shows the brand, the files and the freshness of its own one', async () => {
    expect(await lookUp('acme.example')).toMatchObject({
      hosting: {
        mode: 'self',
        last_validated: '2026-11-20T03:00:00.000Z',
        last_http_status: 200,
      },
      files: {
        adagents_json: {
          status: 'valid',
          expected_url: 'https://acme.example/.well-known/adagents.json',
        },
        brand_json: { status: 'present', name: 'Acme' },
      },
      brand: {
        name: 'Acme',
        description: 'Sells everything',
        industries: ['retail'],
        colors: [{ hex: '#ff0000', type: 'primary' }],
      },
    })
  })

  test('200: formats beyond the first hundred are counted and continue by cursor', async () => {
    const first = await lookUp('formats.example')
    expect(first).toMatchObject({
      formats_total: 250,
      formats_truncated: true,
      formats_next_cursor: '100',
    })
    const { freshness: _, ...fields } = first
    expect(fields.formats[0]).toEqual({
      format_kind: 'image',
      display_name: 'image',
      params: { width: 0 },
      format_option_id: 'f0',
      sample_render_url: 'https://x.example/a',
    })
    expect(fields.formats[1]).not.toHaveProperty('sample_render_url')
    await registry.publish()
    const ids: string[] = []
    let page = first
    while (true) {
      ids.push(
        ...page.formats.map((property: { format_option_id: string }) => property.format_option_id),
      )
      if (page.formats_next_cursor === null) break
      page = await lookUp('formats.example', `&formats_cursor=${page.formats_next_cursor}`)
    }
    expect(ids).toEqual(Array.from({ length: 250 }, (_, n) => `f${n}`))
    expect(page.authorized_agents).toEqual(first.authorized_agents)
    const paged = await lookUp('formats.example', '&limit=1&include=placements&formats_cursor=200')
    expect(paged.formats).toHaveLength(50)
    expect(paged).toMatchObject({ placements: [], properties: [{}] })
    expect(await lookUp('acme.example')).not.toHaveProperty('formats_total')
  })

  test('200: lists formats that state kind and parameters, with safe samples', async () => {
    expect((await lookUp('acme.example')).formats).toEqual([
      { format_kind: 'image', display_name: 'image', params: { width: 300 } },
      { format_kind: 'video', display_name: 'Film', params: {} },
    ])
  })

  test('200: a change of the brand changes the answer and its ETag', async () => {
    const url = '/api/registry/publisher?domain=acme.example'
    const { etag } = (await registry.app.inject(url)).headers
    await publishFiles(registry, {
      'brand acme.example': { ...buildOperatorFile([], []), names: [{ en: 'Acme Two' }] },
    })
    const again = await registry.app.inject({ url, headers: { 'if-none-match': String(etag) } })
    expect(again.statusCode).toBe(200)
    expect(again.json().brand).toEqual({ name: 'Acme Two' })
  })

  test('200: a large publisher is cut, says so, and continues page by page', async () => {
    const first = await lookUp('large.example')
    expect(first).toMatchObject({
      properties_total: 7_000,
      properties_truncated: true,
      rollup_truncated: { cap: 50, total_agents: 60 },
    })
    expect(first.authorized_agents).toHaveLength(60)
    expect(first.authorized_agents[49]).toMatchObject({
      properties_authorized: 2,
      properties_total: 7_000,
      publisher_wide: false,
    })
    expect(first.authorized_agents[50]).not.toHaveProperty('properties_authorized')
    const ids = first.properties.map((property: { id: string }) => property.id)
    for (let cursor = first.next_cursor; cursor !== null && ids.length < 9_000; ) {
      const page = await lookUp('large.example', `&limit=1000&cursor=${cursor}`)
      ids.push(...page.properties.map((property: { id: string }) => property.id))
      cursor = page.next_cursor
    }
    expect(ids).toHaveLength(7_000)
    expect(new Set(ids).size).toBe(7_000)
  })

  test('200: pages of agents are complete', async () => {
    const page = await lookUp('large.example', '&limit=40')
    expect(page.authorized_agents).toHaveLength(40)
    const next = await lookUp('large.example', `&limit=40&cursor=${page.next_cursor}`)
    expect(next.authorized_agents).toHaveLength(20)
    expect(next.authorized_agents.at(-1)).not.toHaveProperty('publisher_wide')
  })

  test('200: a manager shows how many publishers use its file; a managed publisher shows its own part', async () => {
    expect(await lookUp('manager.example')).toMatchObject({
      network: { publisher_count: 2, valid_count: 2 },
      properties: [{ name: 'manager.example' }],
    })
    const child = await lookUp('one.example')
    expect(child).toMatchObject({
      manager_domain: 'manager.example',
      properties: [{ name: 'one.example' }],
    })
    expect(child).not.toHaveProperty('network')
    await publishFiles(registry, { 'two.example': buildShop('two.example') })
    expect((await lookUp('manager.example')).network).toMatchObject({ publisher_count: 1 })
    await publishFiles(registry, { 'one.example': buildShop('one.example') })
    expect(await lookUp('manager.example')).not.toHaveProperty('network')
  })

  test('200: a domain whose adagents.json lists nothing shows the properties of its brand.json', async () => {
    for (const domain of ['bare.example', 'lone.example']) {
      const { properties } = await lookUp(domain)
      expect(properties[0]).toMatchObject({
        type: domain === 'bare.example' ? 'mobile_app' : 'website',
        source: 'brand_json',
        tags: ['relationship:owned'],
      })
    }
    const { properties } = await lookUp('bare.example')
    expect(properties).toMatchObject([
      { identifiers: [{ type: 'mobile_app', value: 'com.bare' }] },
      { name: 'bare.example' },
      { name: 'sold.example', tags: ['relationship:delegated'], delegation_type: 'delegated' },
    ])
    expect(properties[0]).not.toHaveProperty('delegation_type')
  })

  test.each(['&cursor=x', '&cursor=-1', '&limit=x', '&limit=-1'])('400: %s', async query => {
    const answer = await registry.app.inject(`/api/registry/publisher?domain=acme.example${query}`)
    expect(answer.statusCode).toBe(400)
  })

  test('the stored answer equals what the index derives', async () => {
    expect(await registry.verify()).toEqual([])
  })

  test.each(['bare.example', 'lone.example'])(
    '200: %s keeps the properties of its brand.json, page by page and with placements',
    async domain => {
      await registry.publish()
      const { properties } = await lookUp(domain)
      expect((await lookUp(domain, '&limit=50')).properties).toEqual(properties)
      expect((await lookUp(domain, '&include=placements')).properties).toEqual(properties)
      const paged: object[] = []
      for (let cursor: string | null = '0'; cursor !== null; ) {
        const page: { properties: object[]; next_cursor: string | null } = await lookUp(
          domain,
          `&limit=1&cursor=${cursor}&include=placements`,
        )
        expect(page.properties).toHaveLength(1)
        paged.push(...page.properties)
        cursor = page.next_cursor
      }
      expect(paged).toEqual(properties)
    },
  )

  test.each<[string, object | 'absent', string]>([
    ['neither an agent nor a catalog', { authorized_agents: [] }, 'invalid'],
    [
      'an agent that nothing authorizes',
      { authorized_agents: [{ url: 'https://a.example/mcp', authorized_for: 'All' }] },
      'invalid',
    ],
    ['an agent without an address', { authorized_agents: [{ authorized_for: 'All' }] }, 'invalid'],
    ['a catalog alone', { authorized_agents: [], formats: [{ format_kind: 'image' }] }, 'valid'],
    ['one agent', buildShop('one.example'), 'valid'],
    ['no file', 'absent', 'absent'],
  ])('200: a publisher of %s', async (_, file, status) => {
    for (const [domain, before] of [
      [`first-${runs++}.example`, undefined],
      [`later-${runs++}.example`, true],
    ] as const) {
      if (before) await publishFiles(registry, { [domain]: buildShop(domain) })
      if (file === 'absent') {
        const now = registry.clock.now()
        await registry.observe(observeOutcome('absent', 'adagents.json', domain, now))
      } else await publishFiles(registry, { [domain]: file })
      const { adagents_valid, files, authorized_agents } = await lookUp(domain)
      expect([adagents_valid, files.adagents_json.status]).toEqual([status === 'valid', status])
      // One 404 is no proof: grants are kept until there is a second.
      if (status === 'invalid') expect(authorized_agents).toEqual([])
    }
  })
})

describe('hosting.resolved_url', () => {
  const FILE = '/.well-known/adagents.json'
  const own = (domain: string) => `https://${domain}${FILE}`
  const shared = 'https://files.example/adagents.json'

  /** Observes files, each answered from an address after HTTP redirects where one is given. */
  const observe = async (files: Record<string, { file: object; from: string | undefined }>) => {
    const observations = Object.entries(files).map(([location, { file, from }]) => ({
      ...observeFile('adagents.json', location, file, registry.clock.now()),
      ...(from !== undefined && { resolved_url: from }),
    }))
    await registry.observe(...observations)
    registry.clock.tick(1_000)
  }

  test.each([
    ['its own address', 'direct.example', {}, own('direct.example')],
    [
      'the address that its own one redirects to',
      'moved.example',
      { 'moved.example': 'https://www.moved.example/files/a.json?b="c"' },
      'https://www.moved.example/files/a.json?b="c"',
    ],
    ['the file that it points to', 'pointing.example', {}, shared],
    [
      'the address that the file redirects to which it points to',
      'pointing.example',
      {
        [shared]: 'https://cdn.files.example/v2.json',
        'pointing.example': 'https://www.x.example/',
      },
      'https://cdn.files.example/v2.json',
    ],
    [
      'the address that a manager redirects to',
      'managed.example',
      { 'operator.example': `https://www.operator.example${FILE}` },
      `https://www.operator.example${FILE}`,
    ],
  ])('200: names %s', async (_, domain, from: Record<string, string>, expected) => {
    const files: Record<string, object> = {
      'direct.example': buildShop('direct.example'),
      'moved.example': buildShop('moved.example'),
      'pointing.example': { authoritative_location: shared },
      [shared]: buildShop('pointing.example'),
      'managed.example': buildPointer('operator.example'),
      'operator.example': buildShop('operator.example', {
        properties: [buildWebsite('managed.example')],
      }),
    }
    await observe(
      Object.fromEntries(
        Object.entries(files).map(([location, file]) => [
          location,
          { file: { ...file, last_updated: `2026-11-20T03:00:0${runs}Z` }, from: from[location] },
        ]),
      ),
    )
    runs++
    const { hosting } = await lookUp(domain)
    expect(hosting).toMatchObject({ expected_url: own(domain), resolved_url: expected })
  })

  test('200: follows a redirect that changes while the file stays as it is', async () => {
    const domain = 'wandering.example'
    const at = (name: string) => `https://${name}.wandering.example/a.json`
    const look = async (seen: Partial<Observation>) => {
      const { bytes, hash } = observeFile('adagents.json', domain, file, 0)
      const same = { outcome: 'unchanged', status: 200, bytes, hash } as const
      await registry.observe({ kind: 'adagents.json', location: domain, ...same, ...seen })
      return (await lookUp(domain)).hosting.resolved_url
    }
    const file = buildShop(domain)
    await observe({ [domain]: { file, from: undefined } })
    const countEvents = async () =>
      (await registry.sequencer.index.oneOrThrow<{ n: number }>('select count(*) n from events')).n
    const events = await countEvents()
    const first = registry.clock.tick(1_000)
    expect(await look({ resolved_url: at('one') })).toBe(at('one'))
    registry.clock.tick(1_000)
    expect(await look({ resolved_url: at('two'), outcome: 'ok' })).toBe(at('two'))
    registry.clock.tick(1_000)
    expect(await look({ outcome: 'timeout', hash: undefined })).toBe(at('two'))
    // One that is delivered again is of the past.
    expect(await look({ resolved_url: at('one'), observed_at: first })).toBe(at('two'))
    registry.clock.tick(1_000)
    expect(await look({ hash: undefined, status: 304 })).toBe(own(domain))
    expect(await countEvents()).toBe(events)
  })
})
