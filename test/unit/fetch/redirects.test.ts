import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { limits } from '../../../pipeline/core/limits.ts'
import { crawlSource } from '../../../pipeline/crawl/crawl-source.ts'
import { parseSource } from '../../../pipeline/model/observation.ts'
import { generousTimeouts } from '../../support/registry/generous-limits.ts'
import type { Answer } from '../../support/servers/origin.ts'
import { testClock } from '../../support/worlds/clock.ts'
import {
  createFetcherTo,
  FILE_URL,
  fetchFrom,
  fetchOptions,
  now,
  startOrigin,
  toOutcome,
} from '../../support/worlds/fetching.ts'

describe('redirects', () => {
  const to =
    (location: string): Answer =>
    (request, response, path) => {
      if (path === '/there') return void response.end('{}')
      response.writeHead(302, { location }).end(`moved from ${request.headers.host}`)
    }

  it.each([
    '/there',
    'https://www.acme.example/there',
    '//cdn.acme.example/there#part',
    'https://acme.example./there',
  ])('a redirect to %s on the same site is followed', async location => {
    const got = await fetchFrom(to(location))
    expect(got.kind).toBe('ok')
    expect(got.url).toBe(new URL(location.replace(/#part|\.(?=\/there)/, ''), FILE_URL).href)
  })

  /** Writes a text as a server does that sends its bytes unchanged. */
  const toRaw = (text: string) => Buffer.from(text).toString('latin1')

  it.each([
    ['a path', '/fränkisch', 'https://acme.example/fr%C3%A4nkisch'],
    ['a query', '/a?q=日本', 'https://acme.example/a?q=%E6%97%A5%E6%9C%AC'],
    ['a host', 'https://münchen.acme.example/', 'https://xn--mnchen-3ya.acme.example/'],
    ['a host without its scheme', '//日本.acme.example/', 'https://xn--wgv71a.acme.example/'],
    ['an emoji', '/🦊', 'https://acme.example/%F0%9F%A6%8A'],
  ])('the raw bytes of %s in a redirect are UTF-8', async (_, location, url) => {
    const got = await fetchFrom((_, response, path) => {
      if (path !== '/.well-known/brand.json') return void response.end('{}')
      response.writeHead(302, { location: toRaw(location) }).end()
    })
    expect([got.kind, got.url]).toEqual(['ok', url])
  })

  it('bytes in a redirect that are no UTF-8 are requested as they are', async () => {
    const got = await fetchFrom((_, response, path) => {
      if (path !== '/.well-known/brand.json') return void response.end('{}')
      response.writeHead(302, { location: '/caf\u00e9' }).end()
    })
    expect([got.kind, got.url]).toEqual(['ok', 'https://acme.example/caf%E9'])
  })

  it.each([
    ['a site that only looks the same', toRaw('https://аcme.example/'), 'bad_redirect'],
    ['digits that are a private address', toRaw('https://１０.0.0.1/'), 'refused'],
    ['a host that is no UTF-8', 'https://caf\u00e9.acme.example/', 'bad_redirect'],
    ['this machine in wide letters', toRaw('https://ｌocalhost/'), 'refused'],
  ])('raw bytes do not lead to %s', async (_, location, outcome) => {
    const served = await startOrigin(to(location))
    const got = await createFetcherTo(served.url).fetchDocument(FILE_URL, fetchOptions)
    expect(toOutcome(got)).toBe(outcome)
    expect(served.asked).toEqual(['acme.example/.well-known/brand.json'])
  })

  it.each([
    ['another site', 'https://other.example/there', 'bad_redirect'],
    ['plain http', 'http://acme.example/there', 'bad_redirect'],
    ['another port', 'https://acme.example:8443/there', 'bad_redirect'],
    ['an address with credentials', 'https://me:you@acme.example/there', 'bad_redirect'],
    ['no address', 'https://', 'bad_redirect'],
    ['a private address', 'https://10.0.0.1/there', 'refused'],
    ['a private address in disguise', 'https://0x7f000001/there', 'refused'],
    ['this machine', 'https://localhost/there', 'refused'],
  ])('a redirect to %s is never dialed', async (_, location, outcome) => {
    const served = await startOrigin(to(location))
    const got = await createFetcherTo(served.url).fetchDocument(FILE_URL, fetchOptions)
    expect(got).toMatchObject({ outcome, url: FILE_URL, status: 302 })
    expect(served.asked).toEqual(['acme.example/.well-known/brand.json'])
  })

  it('a file that may be anywhere is followed to other sites, but not to private addresses', async () => {
    expect((await fetchFrom(to('https://other.example/there'), { redirects: 'any' })).kind).toBe(
      'ok',
    )
    expect(toOutcome(await fetchFrom(to('https://10.0.0.1/'), { redirects: 'any' }))).toBe(
      'refused',
    )
  })

  it('the site is that of the first address, however the chain goes', async () => {
    const served = await startOrigin((request, response) => {
      const first = request.headers.host === 'acme.github.io'
      const location = first ? 'https://other.github.io/' : 'https://acme.github.io/there'
      response.writeHead(301, { location }).end()
    })
    const got = await createFetcherTo(served.url).fetchDocument(
      'https://acme.github.io/',
      fetchOptions,
    )
    expect(toOutcome(got)).toBe('bad_redirect')
    expect(served.asked).toEqual(['acme.github.io/'])
  })

  it('a loop, a chain that is too long and a redirect without a target are bad redirects', async () => {
    const circle = await fetchFrom((_, response, path) => {
      response.writeHead(307, { location: path === '/a' ? '/b' : '/a' }).end()
    })
    expect(circle).toMatchObject({ outcome: 'bad_redirect', detail: 'redirects in a loop' })
    const count: Answer = (_, response, path) => {
      const step = Number(path.slice(1)) || 0
      if (step === 4) response.end('{}')
      else response.writeHead(308, { location: `/${step + 1}` }).end()
    }
    expect(toOutcome(await fetchFrom(count))).toBe('bad_redirect')
    expect(toOutcome(await fetchFrom(count, { maxRedirects: 4 }))).toBe('ok')
    expect(toOutcome(await fetchFrom((_, response) => response.writeHead(302).end()))).toBe(
      'bad_redirect',
    )
  })

  it('a file that may not redirect is not followed', async () => {
    const got = await fetchFrom(to('/there'), { redirects: 'none' })
    expect(got).toMatchObject({ outcome: 'bad_redirect', status: 302 })
  })
})

interface RedirectVector {
  id: string
  /** The domain's own file, or one that another file points to. */
  target: 'well_known' | 'authoritative_location'
  origin_url: string
  redirect_chain: { status: number; location: string }[]
  expected: { result: 'resolved' | 'refused'; final_url?: string }
}

const own: RedirectVector[] = [
  {
    id: 'own: a file that is pointed to moves nowhere, not even on its site',
    target: 'authoritative_location',
    origin_url: 'https://pub.example/ads/adagents.json',
    redirect_chain: [{ status: 301, location: 'https://www.pub.example/ads/adagents.json' }],
    expected: { result: 'refused' },
  },
]

/** Loads vectors that the ecosystem's clients share, if they are installed. */
function redirectVectors(): RedirectVector[] {
  const FILE_URL = ['../shared/vectors', '../../shared/vectors']
    .map(folder => `${folder}/adagents-discovery-redirects.json`)
    .find(path => existsSync(path))
  return FILE_URL === undefined
    ? own
    : [...own, ...JSON.parse(readFileSync(FILE_URL, 'utf8')).vectors]
}

/** Strips the scheme of a URL, as an origin records it. */
const place = (url: string) => url.replace('https://', '')

describe('an adagents.json that has moved', () => {
  it.each(redirectVectors())('$id', async ({ target, origin_url, redirect_chain, expected }) => {
    const moves = [origin_url, ...redirect_chain.map(({ location }) => location)]
    const served = await startOrigin((request, response) => {
      const step = moves.map(place).indexOf(`${request.headers.host}${request.url}`)
      const hop = redirect_chain[step]
      if (hop) response.writeHead(hop.status, { location: hop.location }).end()
      else response.end('{"authorized_agents":[]}')
    })
    const source =
      target === 'well_known'
        ? { kind: 'adagents.json' as const, location: new URL(origin_url).hostname }
        : parseSource('adagents.json', origin_url)!
    const observation = await crawlSource(source, {
      fetcher: createFetcherTo(served.url),
      clock: testClock(now),
      limits: { ...limits, ...generousTimeouts },
    })
    const isRefused = expected.result === 'refused'
    expect(observation.outcome).toBe(isRefused ? 'bad_redirect' : 'ok')
    if (!isRefused) expect(observation.resolved_url).toBe(expected.final_url)
    // Each chain that is refused is refused at its last hop, which is never dialed.
    const dialed = isRefused ? moves.slice(0, -1) : moves
    expect(served.asked).toEqual(dialed.map(place))
  })
})
