import { expect, it } from 'vitest'
import { createFetcher } from '../../../pipeline/fetch/http.ts'
import { generousRates, generousTimeouts } from '../../support/registry/generous-limits.ts'
import { serveOrigin } from '../../support/servers/origin.ts'
import { testClock } from '../../support/worlds/clock.ts'
import { closeAfterTest, fetchOptions, now } from '../../support/worlds/fetching.ts'

const asked: string[] = []

async function openPrivateServer(): Promise<string> {
  const origin = closeAfterTest(
    await serveOrigin((_, response, path) => {
      asked.push(path)
      if (path === '/away') return void response.writeHead(302, { location: '/here' }).end()
      response.setHeader('content-type', 'application/json').end('{}')
    }),
  )
  return origin.url
}

/** Creates a fetcher that connects to the address that the URL names. */
function createDirectFetcher() {
  return closeAfterTest(
    createFetcher({
      hostConcurrency: 1,
      addressConcurrency: 64,
      contact: 'https://registry.example/',
      limits: { ...generousTimeouts, ...generousRates },
      clock: testClock(now),
    }),
  )
}

it('one configured host may be private, for requests with that permission', async () => {
  const url = `${await openPrivateServer()}/keys`
  const allow = { http: true, anyPort: true }
  const own = createDirectFetcher()
  const kinds = []
  for (const privateHost of [undefined, 'issuer.example', '127.0.0.1']) {
    const allowed = privateHost === undefined ? allow : { ...allow, privateHost }
    const fetched = await own.fetchDocument(url, {
      ...fetchOptions,
      redirects: 'none',
      allow: allowed,
    })
    kinds.push(fetched.kind === 'failed' ? fetched.outcome : fetched.kind)
  }
  expect(kinds).toEqual(['refused', 'refused', 'ok'])
  expect(asked).toEqual(['/keys'])
  const again = await own.fetchDocument(url, { ...fetchOptions, allow })
  expect(again, 'a connection that is kept opens it to nobody else').toMatchObject({
    outcome: 'refused',
  })
  expect(await own.lookupHost('127.0.0.1')).toBe('private')
})

it('a configured host is found as this machine finds it, and no other name is', async () => {
  const url = (await openPrivateServer()).replace('127.0.0.1', 'localhost')
  const own = createDirectFetcher()
  const allow = { http: true, anyPort: true }
  const ask = (privateHost: string) =>
    own.fetchDocument(`${url}/keys`, {
      ...fetchOptions,
      redirects: 'none',
      allow: { ...allow, privateHost },
    })
  expect(await ask('localhost')).toMatchObject({ kind: 'ok' })
  expect(await ask('issuer.example')).toMatchObject({ kind: 'failed' })
})
