import { describe, expect, it, test } from 'vitest'
import { limits } from '../../../pipeline/core/limits.ts'
import { crawlBatch, createHostLimiter } from '../../../pipeline/crawl/crawl-batch.ts'
import type { CrawlTarget } from '../../../pipeline/model/observation.ts'
import { readObservation } from '../../../pipeline/parse/read-observation.ts'
import { testClock } from '../../support/worlds/clock.ts'
import { createFetcherTo, now, startOrigin } from '../../support/worlds/fetching.ts'

const domain = 'acme.example'
const adagents = `${domain}/.well-known/adagents.json`
const target: CrawlTarget = { kind: 'adagents.json', location: domain }
const denied = '<?xml version="1.0"?>\n<Error><Code>AccessDenied</Code></Error>'

interface Page {
  status?: number
  body?: string
  to?: string
}

/** Crawls the targets in a web of these pages, by `host/path`; anything else is a 404. */
async function crawl(pages: Record<string, Page>, ...targets: CrawlTarget[]) {
  const origin = await startOrigin((request, response, path) => {
    const page = pages[`${request.headers.host}${path}`] ?? { status: 404 }
    response.writeHead(page.status ?? (page.to ? 302 : 200), page.to ? { location: page.to } : {})
    response.end(page.body ?? '')
  })
  const packed = await crawlBatch(targets, {
    fetcher: createFetcherTo(origin.url),
    clock: testClock(now),
    limits: { ...limits, adsTxtBytes: 100 },
    protocolName: 'proto',
    limitHost: createHostLimiter(4),
  })
  return { observations: packed.map(observation => readObservation(observation, limits)), origin }
}

const adsTxt = { body: '\ufeffa.example, 1, DIRECT\nManagerDomain = m.example\n' }
const crawlOutcomes = async (pages: Record<string, Page>, ...targets: CrawlTarget[]) =>
  (await crawl(pages, ...targets)).observations.map(({ kind, outcome }) => `${kind} ${outcome}`)

describe('the ads.txt of a domain', () => {
  it('is fetched at once when the domain has no adagents.json, over the same connection', async () => {
    const { observations, origin } = await crawl({ [`${domain}/ads.txt`]: adsTxt }, target)
    expect(observations).toMatchObject([
      { ...target, outcome: 'absent', status: 404 },
      {
        kind: 'ads.txt',
        location: domain,
        outcome: 'ok',
        status: 200,
        document: { variant: 'ads_txt', manager_domain: 'm.example' },
      },
    ])
    expect(origin.asked).toEqual([adagents, `${domain}/ads.txt`])
    expect(origin.connections).toBe(1)
  })

  test.each<[string, Page, string[]]>([
    ['410', { status: 410 }, ['adagents.json absent', 'ads.txt ok']],
    [
      '403 of a file store',
      { status: 403, body: denied },
      ['adagents.json store_denied', 'ads.txt ok'],
    ],
    ['403', { status: 403, body: '<p>AccessDenied</p>' }, ['adagents.json denied']],
    ['401 of a file store', { status: 401, body: denied }, ['adagents.json denied']],
    ['429', { status: 429 }, ['adagents.json throttled']],
    ['500', { status: 500, body: denied }, ['adagents.json server_error']],
    ['200 with a page', { body: '<p>' }, ['adagents.json not_json']],
    ['200 with nonsense', { body: '{}' }, ['adagents.json unusable']],
    [
      'a redirect to another site',
      { to: 'https://other.example/' },
      ['adagents.json bad_redirect'],
    ],
    [
      'a redirect to nowhere on the site',
      { to: '/nowhere' },
      ['adagents.json absent', 'ads.txt ok'],
    ],
  ])('is fetched or not after %s', async (_, page, expected) => {
    const pages = { [adagents]: page, [`${domain}/ads.txt`]: adsTxt }
    expect(await crawlOutcomes(pages, target)).toEqual(expected)
  })

  test.each<[string, Page]>([
    ['is not there', { status: 404 }],
    ['names nobody', { body: 'a.example, 1, DIRECT' }],
    ['names the domain itself', { body: `managerdomain=${domain}` }],
    ['is a page', { body: '<p>managerdomain=m.example' }],
    ['is too large', { body: `managerdomain=m.example\n${'#'.repeat(100)}` }],
  ])('leaves no trace when it %s', async (_, page) => {
    expect(await crawlOutcomes({ [`${domain}/ads.txt`]: page }, target)).toEqual([
      'adagents.json absent',
    ])
  })

  test.each<[number, string]>([
    [429, 'throttled'],
    [500, 'server_error'],
    [503, 'server_error'],
  ])(
    'is tried again when it answers %i: whether it names a manager is open',
    async (status, outcome) => {
      const pages = { [`${domain}/ads.txt`]: { status } }
      expect(await crawlOutcomes(pages, target)).toEqual([
        'adagents.json absent',
        `ads.txt ${outcome}`,
      ])
    },
  )

  it('is not fetched for a file by address, or a brand.json', async () => {
    const pages = { [`${domain}/ads.txt`]: adsTxt }
    const byAddress = { ...target, location: `https://${domain}/a.json` }
    const brand = { ...target, kind: 'brand.json' } as const
    expect(await crawlOutcomes(pages, byAddress, brand)).toEqual([
      'adagents.json absent',
      'brand.json absent',
    ])
  })

  it('is fetched once by a batch that names it', async () => {
    const own = { kind: 'ads.txt', location: domain } as const
    const { observations, origin } = await crawl({}, target, own)
    expect(observations).toMatchObject([{ outcome: 'absent' }, { ...own, outcome: 'absent' }])
    expect(origin.asked).toEqual([adagents, `${domain}/ads.txt`])
  })

  const hops = (count: number, last: Page): Record<string, Page> => ({
    [`${domain}/ads.txt`]: { to: 'https://h1.example/ads.txt' },
    ...Object.fromEntries(
      Array.from({ length: count - 1 }, (_, i) => [
        `h${i + 1}.example/ads.txt`,
        { to: `https://h${i + 2}.example/ads.txt` },
      ]),
    ),
    [`h${count}.example/ads.txt`]: last,
  })

  it('may be five redirects away on other sites, and no more', async () => {
    expect(await crawlOutcomes(hops(5, adsTxt), target)).toHaveLength(2)
    expect(await crawlOutcomes(hops(6, adsTxt), target)).toHaveLength(1)
  })

  it.each(['https://10.0.0.1/ads.txt', 'https://localhost/ads.txt', 'http://m.example/ads.txt'])(
    'is not followed to %s, which gets no request',
    async to => {
      const { observations, origin } = await crawl({ [`${domain}/ads.txt`]: { to } }, target)
      expect(observations).toHaveLength(1)
      expect(origin.asked).toEqual([adagents, `${domain}/ads.txt`])
    },
  )
})
