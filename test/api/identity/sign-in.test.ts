import {
  type OAuthClientProvider,
  UnauthorizedError,
} from '@modelcontextprotocol/sdk/client/auth.js'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type {
  OAuthClientInformationMixed,
  OAuthTokens,
} from '@modelcontextprotocol/sdk/shared/auth.js'
import { load } from 'cheerio'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  askToken,
  BASE,
  CALLBACK,
  enterDashboard,
  follow,
  obtainTokens,
  openWithSignIn,
  register,
  signIn,
  TestBrowser,
} from '../../support/clients/signing-in.ts'
import { startRedis } from '../../support/processes/redis.ts'
import type { TestRegistry } from '../../support/registry/app.ts'
import { openForAll } from '../../support/runner/open-for-all.ts'

const redis = openForAll(startRedis)
const registry = openForAll(() =>
  openWithSignIn({
    redis: redis.redis,
    limits: { clientRegistrationsPerHour: 1_000 },
  }),
)

beforeAll(async () => {
  await registry.createKey('Acme')
})

const ask = (token: string, url: string) =>
  registry.app.inject({ url, headers: { authorization: `Bearer ${token}` } })

/** Sends what the official client sends to the registry in this process. */
function openFetch({ app }: TestRegistry): typeof fetch {
  return async (input, init = {}) => {
    const url = new URL(String(input))
    expect(url.origin).toBe(BASE)
    const answer = await app.inject({
      method: (init.method ?? 'GET') as 'GET',
      url: url.pathname + url.search,
      headers: Object.fromEntries(new Headers(init.headers)),
      ...(init.body != null && { payload: String(init.body) }),
    })
    const headers = Object.entries(answer.headers).map(
      ([name, value]) => [name, String(value)] as [string, string],
    )
    const body = answer.body === '' ? null : answer.body
    return new Response(body, { status: answer.statusCode, headers })
  }
}

describe('a person', () => {
  test('signs in by a link, consents, and gets a token that names them', async () => {
    const tokens = await obtainTokens(registry)
    expect(tokens).toMatchObject({ status: 200, token_type: 'Bearer', expires_in: 900 })
    const header = decodeProtectedHeader(tokens.access_token)
    expect(header).toMatchObject({ alg: 'ES256', typ: 'at+jwt' })
    expect(decodeJwt(tokens.access_token)).toMatchObject({ iss: BASE, aud: BASE })
    expect(decodeJwt(tokens.id_token)).toMatchObject({
      email: 'ann@acme.example',
      email_verified: true,
    })
  })

  test('stays the same person, however they spell their address', async () => {
    const first = decodeJwt((await obtainTokens(registry, 'bo@acme.example')).id_token)
    const second = decodeJwt((await obtainTokens(registry, ' Bo@Acme.Example')).id_token)
    expect(second.sub).toBe(first.sub)
    expect(decodeJwt((await obtainTokens(registry, 'cy@acme.example')).id_token).sub).not.toBe(
      first.sub,
    )
  })

  test('has by a token the rights of their memberships, as a key has those of its organization', async () => {
    const { access_token: token } = await obtainTokens(registry, 'dee@acme.example')
    const feed = await ask(token, '/api/registry/feed')
    expect(feed.statusCode).toBe(200)
    expect((await ask(token, '/api/me/api-keys')).statusCode).toBe(400)
    const user_id = decodeJwt(token).sub!
    await registry.submit({ op: 'membership.set', org: 'Acme', user_id, role: 'owner' })
    expect((await ask(token, '/api/me/api-keys')).statusCode).toBe(200)
    await registry.submit({ op: 'membership.remove', org: 'Acme', user_id })
    expect((await ask(token, '/api/me/api-keys')).statusCode).toBe(400)
  })

  test('renews the token without signing in again', async () => {
    const { refresh_token, client_id } = await obtainTokens(registry)
    const renewed = await askToken(registry, {
      grant_type: 'refresh_token',
      refresh_token,
      client_id,
    })
    expect(renewed.status).toBe(200)
    expect(renewed.refresh_token).not.toBe(refresh_token)
    expect((await ask(renewed.access_token, '/api/registry/feed')).statusCode).toBe(200)
  })

  test('signs in once in a browser, and is asked for their consent each time by an application on their machine', async () => {
    const browser = new TestBrowser(registry)
    const { client_id } = await register(registry)
    const url = `/authorize?${new URLSearchParams({
      response_type: 'code',
      client_id: client_id!,
      redirect_uri: CALLBACK,
      code_challenge: 'a'.repeat(43),
      code_challenge_method: 'S256',
      scope: 'openid',
    })}`
    const consent = await signIn(registry, browser, url, 'eve@acme.example')
    await follow(browser, await browser.post(`${consent}/consent`, {}))
    const again = await follow(browser, await browser.get(url))
    expect(again.body).toContain('<h1>Allow access</h1>')
  })

  test('finds a wrong address still entered, with a sentence beside it', async () => {
    const browser = new TestBrowser(registry)
    const asked = await follow(browser, await browser.get('/dashboard'))
    const answer = await browser.post(`${asked.at}/link`, { email: 'editor@your-site' })
    const page = load(answer.body)
    expect([answer.statusCode, page('#email').val(), page('#fault').text()]).toEqual([
      400,
      'editor@your-site',
      '“editor@your-site” isn’t a valid email address. Enter an email address such as ann@acme.example.',
    ])
  })

  test('may decline, before or after signing in', async () => {
    const { client_id } = await register(registry)
    const url = `/authorize?${new URLSearchParams({
      response_type: 'code',
      client_id: client_id!,
      redirect_uri: CALLBACK,
      code_challenge: 'a'.repeat(43),
      code_challenge_method: 'S256',
    })}`
    const browser = new TestBrowser(registry)
    const asked = await follow(browser, await browser.get(url))
    const back = await follow(browser, await browser.post(`${asked.at}/cancel`, {}))
    expect(new URL(back.at!).searchParams.get('error')).toBe('access_denied')
    const consent = await signIn(registry, new TestBrowser(registry), url, 'ann@acme.example')
    expect(consent).toMatch(/^\/sign-in\//)
  })
})

test('an MCP client that knows only the address has its person sign in, and calls the tool', async () => {
  const browser = new TestBrowser(registry)
  let client_information: OAuthClientInformationMixed | undefined
  let saved: OAuthTokens | undefined
  let verifier = ''
  let code: string | null = null
  const auth: OAuthClientProvider = {
    redirectUrl: CALLBACK,
    clientMetadata: { client_name: 'Assistant', redirect_uris: [CALLBACK] },
    clientInformation: () => client_information,
    saveClientInformation: information => {
      client_information = information
    },
    tokens: () => saved,
    saveTokens: tokens => {
      saved = tokens
    },
    saveCodeVerifier: text => {
      verifier = text
    },
    codeVerifier: () => verifier,
    async redirectToAuthorization(url) {
      const consent = await signIn(registry, browser, url.pathname + url.search, 'fay@acme.example')
      const done = await follow(browser, await browser.post(`${consent}/consent`, {}))
      code = new URL(done.at!).searchParams.get('code')
    },
  }
  const options = { authProvider: auth, fetch: openFetch(registry) }
  const open = async () => {
    const transport = new StreamableHTTPClientTransport(new URL(`${BASE}/mcp`), options)
    const client = new Client({ name: 'assistant', version: '1' })
    await client.connect(transport as never)
    return { client, transport }
  }
  const { client, transport } = await open()
  const call = { name: 'read_feed', arguments: {} }
  await expect(client.callTool(call)).rejects.toBeInstanceOf(UnauthorizedError)
  await transport.finishAuth(code!)
  const answer = await client.callTool(call)
  expect(answer.isError).toBeFalsy()
  expect((await ask(saved!.access_token, '/api/registry/feed')).statusCode).toBe(200)
  await client.close()
})

describe('the metadata', () => {
  const get = async (path: string) => (await registry.app.inject(path)).json()

  test('is the same in both documents, and names the same issuer as the resources', async () => {
    const server = await get('/.well-known/oauth-authorization-server')
    expect(server).toMatchObject({
      issuer: BASE,
      authorization_endpoint: `${BASE}/authorize`,
      token_endpoint: `${BASE}/token`,
      registration_endpoint: `${BASE}/register`,
      code_challenge_methods_supported: ['S256'],
      scopes_supported: ['openid', 'profile', 'email'],
    })
    const openid = await get('/.well-known/openid-configuration')
    const sort = (value: unknown) => (Array.isArray(value) ? [...value].sort() : value)
    for (const [name, value] of Object.entries(server)) {
      expect([name, sort(openid[name])]).toEqual([name, sort(value)])
    }
    for (const resource of ['api', 'mcp']) {
      expect(await get(`/.well-known/oauth-protected-resource/${resource}`)).toMatchObject({
        resource: `${BASE}/${resource}`,
        authorization_servers: [BASE],
      })
    }
  })

  test('names the public address, whatever host its caller names', async () => {
    const headers = { host: 'evil.example', 'x-forwarded-host': 'evil.example' }
    const url = '/.well-known/openid-configuration'
    const { body } = await registry.app.inject({ url, headers })
    expect(body).not.toContain('evil.example')
  })
})

describe('an application', () => {
  test('in a browser may send requests from any origin', async () => {
    const headers = { origin: 'https://app.example', 'access-control-request-method': 'POST' }
    for (const url of ['/token', '/register']) {
      const answer = await registry.app.inject({ method: 'OPTIONS', url, headers })
      expect([url, answer.statusCode]).toEqual([url, 204])
      expect(answer.headers['access-control-allow-origin']).toBe('*')
    }
    for (const url of ['/token', '/register', '/oauth/jwks']) {
      const method = url === '/oauth/jwks' ? 'GET' : 'POST'
      const answer = await registry.app.inject({ method, url, headers })
      expect(answer.headers['access-control-allow-origin']).toMatch(/^(?:\*|https:..app.example)$/)
      expect(answer.headers['access-control-allow-credentials']).toBeUndefined()
    }
  })

  test('registers a limited number of times an hour from one address', async () => {
    const other = await openWithSignIn({
      redis: redis.redis,
      limits: { clientRegistrationsPerHour: 2 },
    })
    await other.createKey('Acme')
    const remoteAddress = '192.0.2.7'
    const tryToRegister = () =>
      other.send('POST', '/register', { payload: { redirect_uris: [CALLBACK] }, remoteAddress })
    const statuses = [await tryToRegister(), await tryToRegister(), await tryToRegister()].map(
      ({ statusCode }) => statusCode,
    )
    expect(statuses).toEqual([201, 201, 429])
    await other.close()
  })
})

test('a dashboard whose sessions Redis does not tell is unavailable, not broken', async () => {
  const own = await startRedis()
  const other = await openWithSignIn({ redis: own.redis })
  const ann = await enterDashboard(other, 'ann@acme.example')
  await own.redis.call('acl', 'setuser', 'default', '-@read')
  const { statusCode, body } = await ann.get('/dashboard')
  expect([statusCode, load(body)('h1').text()]).toEqual([503, 'Temporarily unavailable'])
  await other.close()
  await own.close()
})

test('while Redis is away nobody can sign in, but tokens remain valid', async () => {
  const own = await startRedis()
  const other = await openWithSignIn({ redis: own.redis })
  await other.createKey('Acme')
  const { access_token } = await obtainTokens(other)
  await own.stop()
  expect((await other.app.inject('/authorize')).statusCode).toBe(503)
  const headers = { authorization: `Bearer ${access_token}` }
  const feed = await other.app.inject({ url: '/api/registry/feed', headers })
  expect(feed.statusCode).toBe(200)
  await other.close()
  await own.close()
})
