import { randomUUID } from 'node:crypto'
import { connect } from 'node:net'
import { load } from 'cheerio'
import { beforeAll, describe, expect, test } from 'vitest'
import { findKeyHolder } from '../../api/auth/principal.ts'
import { Operation } from '../../pipeline/model/submission.ts'
import { measureCpuMs } from '../support/checks/measured-work.ts'
import { observeBrandFile, observePublisherFile } from '../support/fixtures/documents.ts'
import { openRegistry } from '../support/registry/app.ts'
import { enrol } from '../support/registry/members.ts'
import { openForAll } from '../support/runner/open-for-all.ts'

const registry = openForAll(openRegistry)

beforeAll(async () => {
  const agents = ['https://agent.example/mcp']
  await registry.observe(
    observeBrandFile('nova.example', 'Nova'),
    observeBrandFile('novabank.example', 'Nova Bank'),
    observeBrandFile('supernova.example', 'Supernova'),
    observeBrandFile('aaa.example', 'Casanova Foods'),
    observeBrandFile('nike.example', 'Nike'),
    observeBrandFile('mike.example', 'Mike'),
    observeBrandFile('google.example', 'Google'),
    observeBrandFile('cola.example', 'Coca-Cola'),
    observeBrandFile('xn--mnchen-3ya.example', 'Münchner Straßenbahn'),
    observeBrandFile('orsted.example', 'Ørsted'),
    observeBrandFile('tokyo.example', '東京メディア'),
    observeBrandFile('odd.example', '100% (a|b)* \\d+ [x] $^'),
    ...Array.from({ length: 12 }, (_, i) => observeBrandFile(`chain${i}.example`, `Chain ${i}`)),
    observePublisherFile('news.example', { sites: ['news.example', 'sport.news.example'], agents }),
    observePublisherFile('xn--zeitng-6ya.example', { sites: ['xn--zeitng-6ya.example'], agents }),
    observePublisherFile('gone.example', { sites: ['gone.example'], agents }),
  )
  registry.clock.tick(60_000)
  await registry.observe({
    kind: 'adagents.json',
    location: 'gone.example',
    outcome: 'absent',
    status: 404,
  })
  await registry.publish()
})

const get = (url: string) => registry.app.inject(url)

async function search(text: string) {
  const answer = await get(`/api/search?q=${encodeURIComponent(text)}`)
  expect(answer.statusCode).toBe(200)
  return answer.json()
}

async function found(text: string, more = ''): Promise<string[]> {
  const answer = await get(`/api/brands/find?q=${encodeURIComponent(text)}${more}`)
  expect(answer.statusCode).toBe(200)
  return answer.json().results.map((item: { domain: string }) => item.domain)
}

describe('GET /api/search', () => {
  test.each(['https://news.example/today', 'news.example/today?page=2', 'http://news.example'])(
    '200: a pasted address finds what its domain finds: %s',
    async text => {
      const pasted = await search(text)
      expect(pasted).toEqual(await search('news.example'))
      expect(pasted.publishers).toHaveLength(1)
    },
  )

  test('200: the best of each kind, with the number of the commit', async () => {
    const answer = await get('/api/search?q=news')
    expect(answer.headers).toMatchObject({
      'x-registry-seq': '2',
      'access-control-allow-origin': '*',
    })
    expect(answer.json()).toMatchObject({
      brands: [],
      publishers: [{ domain: 'news.example', member: null }],
      properties: [
        {
          property_rid: expect.any(String),
          source: 'authoritative',
          verified: true,
          identifiers: [{ type: 'domain', value: 'news.example' }],
        },
        { identifiers: [{ type: 'domain', value: 'sport.news.example' }] },
      ],
    })
  })

  test('200: brands look as in their list', async () => {
    const listed = (await get('/api/brands/registry?limit=100')).json().brands
    const [brand] = (await search('supernova')).brands
    expect(listed).toContainEqual(brand)
  })

  test('200: a property is found by its identifier', async () => {
    const { properties } = await search('sport.news.example')
    expect(properties[0].identifiers).toEqual([{ type: 'domain', value: 'sport.news.example' }])
  })

  test('200: five of each kind at most', async () => {
    expect((await search('chain')).brands).toHaveLength(5)
    expect((await search('example')).brands).toHaveLength(5)
  })

  test('200: without a match all lists are empty', async () => {
    expect(await search('zzzzqqqq')).toEqual({
      brands: [],
      publishers: [],
      properties: [],
      agents: [],
    })
  })

  test('200: a publisher without its file is not shown, as in lists', async () => {
    expect(await search('gone.example')).toMatchObject({
      publishers: [],
      properties: [],
      agents: [],
    })
  })

  test('200: a publisher is found by the name of its domain’s brand and of its member', async () => {
    const own = await openRegistry()
    const agents = ['https://agent.example/mcp']
    await own.observe(
      observeBrandFile('herald.example', 'Morning Post'),
      observePublisherFile('herald.example', { sites: ['herald.example'], agents }),
      observePublisherFile('quiet.example', { sites: ['quiet.example'], agents }),
    )
    const zeta = await enrol(own, {
      org: 'Zeta Média Group',
      domains: ['herald.example', 'none.example'],
    })
    await enrol(own, { org: 'Zeta Hidden', domains: ['quiet.example'], public: false })
    await own.publish()
    const publishers = async (text: string) =>
      (await own.app.inject(`/api/search?q=${encodeURIComponent(text)}`)).json().publishers
    const herald = {
      domain: 'herald.example',
      member: { slug: expect.any(String), display_name: 'Zeta Média Group' },
    }
    expect(await publishers('morning post')).toEqual([herald])
    expect(await publishers('zeta media')).toEqual([herald])
    expect(await publishers('herald')).toEqual([herald])
    expect(await publishers('zeta')).toEqual([herald])
    expect(await publishers('quiet')).toEqual([{ domain: 'quiet.example', member: null }])
    const { id, org_id } = findKeyHolder(own.reader, zeta)!
    const property = { type: 'website', name: 'Front page', identifiers: [] }
    for (const save of [
      { op: 'brand.save', brand_name: 'Hosted Herald' },
      { op: 'property.save', properties: [property] },
    ]) {
      const editor = { kind: 'key', id, org_id }
      const hosted = { revision_id: randomUUID(), domain: 'none.example', editor }
      await own.submit(Operation.parse({ ...save, ...hosted }))
    }
    await own.publish()
    const hosted = { ...herald, domain: 'none.example' }
    for (const text of ['hosted herald', 'none.example'])
      expect(await publishers(text)).toEqual([hosted])
    expect(await publishers('zeta')).toEqual([herald, hosted])
    await own.close()
  })

  test('200: nothing is found before the first snapshot', async () => {
    const own = await openRegistry()
    const answer = await own.app.inject('/api/search?q=nova')
    expect(answer.json()).toEqual({ brands: [], publishers: [], properties: [], agents: [] })
    expect(answer.headers['x-registry-seq']).toBe('0')
    await own.close()
  })

  test.each([
    ['', '`q` is required.'],
    ['?q=', '`q` must be at least 2 characters.'],
    ['?q=%20a%20', '`q` must be at least 2 characters.'],
    ['?q=ab&q=cd', '`q` must be a single value.'],
    [`?q=${'a'.repeat(201)}`, '`q` must be at most 200 characters.'],
  ])('400: %s is refused by name', async (query, error) => {
    const answer = await get(`/api/search${query}`)
    expect([answer.statusCode, answer.json()]).toEqual([400, { error, code: 'invalid_request' }])
  })

  test('a new snapshot is searched once it is published, and an unchanged one at once', async () => {
    const own = await openRegistry()
    await own.observe(observeBrandFile('first.example', 'First'))
    await own.publish()
    await own.observe({ kind: 'brand.json', location: 'none.example', outcome: 'timeout' })
    await own.publish()
    const quiet = await own.app.inject('/api/search?q=first')
    expect([quiet.headers['x-registry-seq'], quiet.json().brands.length]).toEqual(['2', 1])
    own.clock.tick(60_000)
    await own.observe(observeBrandFile('first.example', 'Renamed'))
    await own.publish()
    const later = await own.app.inject('/api/brands/find?q=renamed')
    expect([later.headers['x-registry-seq'], later.json().results.length]).toEqual(['3', 1])
    await own.close()
  })
})

describe('GET /api/brands/find', () => {
  test('200: exact matches, then prefixes, then substrings; typos only without those', async () => {
    expect(await found('nova')).toEqual([
      'nova.example',
      'novabank.example',
      'aaa.example',
      'supernova.example',
    ])
    expect(await found('wike')).toEqual(['mike.example', 'nike.example'])
  })

  test.each([
    ['NOVA BANK', 'novabank.example'],
    ['nova.example', 'nova.example'],
    ['gogle', 'google.example'],
    ['googel', 'google.example'],
    ['giogle', 'google.example'],
    ['gooogle', 'google.example'],
    ['gogle.example', 'google.example'],
    ['coca cola', 'cola.example'],
    ['cola coca', 'cola.example'],
    ['munchner strassenbahn', 'xn--mnchen-3ya.example'],
    ['MÜNCHNER STRASSEN', 'xn--mnchen-3ya.example'],
    ['straßenbahm', 'xn--mnchen-3ya.example'],
    ['münchen.example', 'xn--mnchen-3ya.example'],
    ['xn--mnchen', 'xn--mnchen-3ya.example'],
    ['orsted', 'orsted.example'],
    ['ørsted', 'orsted.example'],
    ['東京', 'tokyo.example'],
    ['メディア', 'tokyo.example'],
    ['(a|b)*', 'odd.example'],
    ['\\d+', 'odd.example'],
    ['100%', 'odd.example'],
    ['$^', 'odd.example'],
  ])('200: %s finds %s first', async (text, domain) => {
    expect((await found(text))[0]).toBe(domain)
  })

  test('200: the limit is ten by default, at most fifty, and zero means none', async () => {
    expect(await found('chain')).toHaveLength(10)
    expect(await found('chain', '&limit=999')).toHaveLength(12)
    expect(await found('chain', '&limit=0')).toEqual([])
  })

  test.each(['q=a', 'limit=5', 'q=nova&limit=-1', 'q=nova&limit=x'])(
    '400: %s is refused',
    async query => {
      expect((await get(`/api/brands/find?${query}`)).statusCode).toBe(400)
    },
  )
})

describe('lists with a search', () => {
  const list = async (query: string) => (await get(`/api/${query}`)).json()

  test('200: the best come first, and pages follow each other', async () => {
    const names = async (page: string) =>
      (await list(`brands/registry?search=nova${page}`)).brands.map(
        (item: { brand_name: string }) => item.brand_name,
      )
    const all = ['Nova', 'Nova Bank', 'Casanova Foods', 'Supernova']
    expect(await names('')).toEqual(all)
    const pages = [await names('&limit=3'), await names('&limit=3&offset=3')]
    expect(pages.flat()).toEqual(all)
  })

  test('200: counts are of all matches, whatever the page and the source', async () => {
    const { brands, stats } = await list('brands/registry?search=nova&source=community&limit=1')
    expect(brands).toEqual([])
    expect(stats).toEqual({
      total: 4,
      hosted: 0,
      brand_json: 4,
      community: 0,
      enriched: 0,
      stub: 0,
      houses: 4,
      sub_brands: 0,
      with_manifest: 0,
    })
  })

  test('200: typos count where there is no literal match', async () => {
    expect((await list('brands/registry?search=gogle')).stats.total).toBe(1)
    expect((await list('brands/registry?search=nike')).stats.total).toBe(1)
  })

  test('200: a blank search is ignored, a single character is not', async () => {
    const { total } = (await list('brands/registry')).stats
    expect((await list('brands/registry?search=%20')).stats.total).toBe(total)
    expect((await list('brands/registry?search=%25')).stats.total).toBe(1)
  })

  test('200: properties are found by identifier in both spellings, and look as in their list', async () => {
    const { properties, stats } = await list('properties/registry?search=zeit%C3%BAng')
    expect(stats).toEqual({ total: 1, community: 0, adagents_json: 1, hosted: 0 })
    expect((await list('properties/registry')).properties).toContainEqual(properties[0])
    expect((await list('properties/registry?search=zeitnug.example')).stats.total).toBe(1)
    expect((await list('properties/registry?search=xn--zeitng')).stats.total).toBe(1)
  })

  test.each(['brands/registry?search=x&source=gossip', 'properties/registry?source=stub'])(
    '400: %s names no source',
    async query => {
      expect((await get(`/api/${query}`)).statusCode).toBe(400)
    },
  )
})

describe('hostile texts', () => {
  const texts = [
    '%',
    '__proto__',
    "' or 1=1 --",
    '.*.*.*.*',
    '(((((((((',
    '\\',
    '\u0000\u0001\u0002',
    '\u0002\u0002\u0002',
    '\u202eabc',
    '😀😀',
    '👩‍👩‍👧‍👦',
    '\u0301\u0301\u0301',
    'ﷺ'.repeat(200),
    'a'.repeat(200),
    'a b '.repeat(50),
    'nova '.repeat(8),
    'אבגד',
    '.example',
    'e'.repeat(2),
  ]
  const paths = [
    '/api/search?q=',
    '/api/brands/find?limit=50&q=',
    '/api/brands/registry?search=',
    '/api/properties/registry?search=',
  ]

  test.each(texts)('%j is answered in bounded time, with 200 or 400', async text => {
    for (const path of paths) {
      const ms = await measureCpuMs(async () => {
        expect([200, 400]).toContain((await get(path + encodeURIComponent(text))).statusCode)
      })
      expect(ms).toBeLessThan(1_000)
    }
  })

  test.each(['%ED%A0%80%ED%A0%80', '%ff%fe', '%00%00', '%', '%zz'])(
    '%s, which is invalid text, gets 200 or 400',
    async bytes => {
      for (const path of paths) expect([200, 400]).toContain((await get(path + bytes)).statusCode)
    },
  )

  test('a megabyte is refused', async () => {
    const megabyte = 'a'.repeat(1024 * 1024)
    expect((await get(`/api/search?q=${megabyte}`)).statusCode).toBe(400)
    const url = new URL(await registry.app.listen({ host: '127.0.0.1', port: 0 }))
    const answer = await new Promise<string>((resolve, reject) => {
      const socket = connect(Number(url.port), '127.0.0.1')
      socket.on('error', reject)
      socket.once('data', data => resolve(data.toString()))
      socket.write(`GET /api/search?q=${'a'.repeat(20_000)} HTTP/1.1\r\nhost: x\r\n\r\n`)
    })
    expect(answer).toMatch(/^HTTP\/1\.1 4\d\d /)
  })
})

describe('the page of a search', () => {
  const open = async (path: string) => load((await get(path)).body)

  test('counts what it shows only if that is all, and leads to the rest of a kind', async () => {
    const page = await open('/search?q=chain')
    expect(page('.lead')).toHaveLength(0)
    const more = page('#brands .more a')
    expect(page('#brands li')).toHaveLength(5)
    const rest = await open(more.attr('href')!)
    expect(rest('#brands li')).toHaveLength(12)
    expect([rest('.lead').text(), rest('.more').length]).toEqual(['12 results', 0])
    const few = await open('/search?q=nova')
    const shown = few('main li, main tbody tr').length
    expect([few('.lead').text(), few('.more').length]).toEqual([`${shown} results`, 0])
  })

  test.each([
    ['webhook', '/docs/guides/webhooks'],
    ['Feed cursor', '/docs/operations/readFeed'],
    ['resolveBrand', '/docs/operations/resolveBrand'],
    ['news.example', undefined],
  ])('leads from %s to the documentation', async (text, path) => {
    const page = await open(`/search?q=${encodeURIComponent(text)}`)
    const found = page('#documentation dt a').map((_, link) => page(link).attr('href'))
    expect(found.length).toBeLessThanOrEqual(5)
    expect(found.get(0)).toBe(path)
    expect(page('main').text()).not.toContain('Nothing matches')
  })

  test('shows a domain that was searched for once, and no two properties alike', async () => {
    const site = 'news.example'
    const page = await open(`/search?q=${site}`)
    expect(page(`main .entries a[href="/publisher/${site}"]`)).toHaveLength(1)
    const rows = page('#properties tbody tr').map((_, row) => page(row).text())
    expect(rows.length).toBeGreaterThan(0)
    expect(new Set(rows.get()).size).toBe(rows.length)
  })
})
