import { describe, expect, it } from 'vitest'
import { ask, fetcherTo, fetchFrom, file, originOf, outcomeOf } from '../support/fetching.ts'
import type { Answer } from '../support/origin.ts'

describe('redirects', () => {
  const to =
    (location: string): Answer =>
    (request, response, path) => {
      if (path === '/there') return void response.end('{}')
      response.writeHead(302, { location }).end(`moved from ${request.headers.host}`)
    }

  it.each(['/there', 'https://www.acme.example/there', '//cdn.acme.example/there#part'])(
    'a redirect to %s on the same site is followed',
    async location => {
      const got = await fetchFrom(to(location))
      expect(got.kind).toBe('ok')
      expect(got.url).toBe(new URL(location.replace('#part', ''), file).href)
    },
  )

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
    const served = await originOf(to(location))
    const got = await fetcherTo(served.url).fetchDocument(file, ask)
    expect(got).toMatchObject({ outcome, url: file, status: 302 })
    expect(served.asked).toEqual(['acme.example/.well-known/brand.json'])
  })

  it('a file that may go anywhere is followed off the site, but not inside', async () => {
    expect((await fetchFrom(to('https://other.example/there'), { redirects: 'any' })).kind).toBe(
      'ok',
    )
    expect(outcomeOf(await fetchFrom(to('https://10.0.0.1/'), { redirects: 'any' }))).toBe(
      'refused',
    )
  })

  it('the site is the one asked first, however the chain winds', async () => {
    const served = await originOf((request, response) => {
      const first = request.headers.host === 'acme.github.io'
      const location = first ? 'https://other.github.io/' : 'https://acme.github.io/there'
      response.writeHead(301, { location }).end()
    })
    const got = await fetcherTo(served.url).fetchDocument('https://acme.github.io/', ask)
    expect(outcomeOf(got)).toBe('bad_redirect')
    expect(served.asked).toEqual(['acme.github.io/'])
  })

  it('a circle, a chain that is too long and a redirect to nowhere are bad redirects', async () => {
    const circle = await fetchFrom((_, response, path) => {
      response.writeHead(307, { location: path === '/a' ? '/b' : '/a' }).end()
    })
    expect(circle).toMatchObject({ outcome: 'bad_redirect', detail: 'redirects in a circle' })
    const count: Answer = (_, response, path) => {
      const step = Number(path.slice(1)) || 0
      if (step === 4) response.end('{}')
      else response.writeHead(308, { location: `/${step + 1}` }).end()
    }
    expect(outcomeOf(await fetchFrom(count))).toBe('bad_redirect')
    expect(outcomeOf(await fetchFrom(count, { maxRedirects: 4 }))).toBe('ok')
    expect(outcomeOf(await fetchFrom((_, response) => response.writeHead(302).end()))).toBe(
      'bad_redirect',
    )
  })

  it('a file that must not redirect does not', async () => {
    const got = await fetchFrom(to('/there'), { redirects: 'none' })
    expect(got).toMatchObject({ outcome: 'bad_redirect', status: 302 })
  })
})
