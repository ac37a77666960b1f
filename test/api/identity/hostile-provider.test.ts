import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { SECOND } from '../../../pipeline/core/clock.ts'
import { type Log, silentLog } from '../../../pipeline/core/log.ts'
import { BASE, follow, type SignInRegistry, TestBrowser } from '../../support/clients/signing-in.ts'
import { startRedis } from '../../support/processes/redis.ts'
import { openForAll } from '../../support/runner/open-for-all.ts'
import {
  closeServer,
  openWithUpstream,
  UPSTREAM_CLIENT,
} from '../../support/servers/upstream-provider.ts'
import { testClock } from '../../support/worlds/clock.ts'

/** Answers of the provider; each test changes those that it is about. */
interface Script {
  metadata: Record<string, unknown>
  keys: object[]
  token(nonce: string): Promise<string>
  /** Answers the token endpoint instead of `token`. */
  answerToken?(response: ServerResponse): void
  answerMetadata?(response: ServerResponse): void
}

const redis = openForAll(startRedis)
let registry: SignInRegistry
let url: string
let script: Script
let usual: Script
let nonce = ''
/** Bodies that the token endpoint got. */
const exchanged: URLSearchParams[] = []

/** Moved on before each test: hosts that failed are left alone for a while, and metadata are believed for one. */
const crawlerClock = testClock()
const now = () => crawlerClock.now() / SECOND
/** Log details of failed sign-ins, as the operator reads them. */
const details: string[] = []
const log: Log = Object.assign(Object.create(silentLog), {
  warn: ({ detail }: { detail?: string }) => details.push(detail ?? ''),
})
const claims = (): JWTPayload => ({
  iss: url,
  aud: UPSTREAM_CLIENT,
  sub: 'ann',
  iat: now(),
  exp: now() + 300,
  nonce,
  email: 'ann@lantern.example',
  email_verified: true,
})

const server = createServer((request, response) => {
  const send = (body: object) =>
    response.setHeader('content-type', 'application/json').end(JSON.stringify(body))
  if (request.url === '/jwks') return void send({ keys: script.keys })
  if (request.url?.startsWith('/.well-known/')) {
    return script.answerMetadata ? script.answerMetadata(response) : void send(script.metadata)
  }
  let body = ''
  request.on('data', piece => {
    body += piece
  })
  request.on('end', async () => {
    exchanged.push(new URLSearchParams(body))
    if (script.answerToken) script.answerToken(response)
    else send({ token_type: 'Bearer', access_token: 'x', id_token: await script.token(nonce) })
  })
})

beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true })
  const jwk = { ...(await exportJWK(publicKey)), kid: 'one', alg: 'ES256', use: 'sig' }
  usual = {
    metadata: {
      issuer: url,
      authorization_endpoint: `${url}/authorize`,
      token_endpoint: `${url}/token`,
      jwks_uri: `${url}/jwks`,
      authorization_response_iss_parameter_supported: true,
    },
    keys: [jwk],
    token: () =>
      new SignJWT(claims()).setProtectedHeader({ alg: 'ES256', kid: 'one' }).sign(privateKey),
  }
  sign = (payload, header = {}) =>
    new SignJWT(payload as JWTPayload)
      .setProtectedHeader({ alg: 'ES256', kid: 'one', ...header })
      .sign(privateKey)
  registry = await openWithUpstream(
    redis,
    {
      OPENID_ISSUER: url,
      OPENID_CLIENT_ID: UPSTREAM_CLIENT,
      OPENID_CLIENT_SECRET: 'very secret',
      OPENID_NAME: 'Lantern',
    },
    { limits: { upstreamSignInsPerCallerHour: 1_000, issuerMs: 2_000 }, log },
    crawlerClock,
  )
})
let sign: (payload: object, header?: object) => Promise<string>

afterAll(async () => {
  await registry.close()
  await closeServer(server)
})
beforeEach(() => {
  script = { ...usual }
  details.length = 0
  crawlerClock.tick({ hours: 1 })
  registry.clock.tick({ hours: 1 })
})

async function begin(browser = new TestBrowser(registry)) {
  const { at } = await follow(browser, await browser.get('/dashboard'))
  const answer = await browser.post(`${at}/upstream`, {}, { 'sec-fetch-site': 'same-origin' })
  const address = /url=(.*)$/.exec(String(answer.headers.refresh))?.[1]
  const asked = address === undefined ? undefined : new URL(address).searchParams
  nonce = asked?.get('nonce') ?? ''
  return { browser, at: at!, state: asked?.get('state') ?? '', answer }
}

const comeBack = async (browser: TestBrowser, query: Record<string, string>) =>
  follow(browser, await browser.get(`/sign-in/return?${new URLSearchParams(query)}`))

/** Signs in by the provider and returns the page on which the person arrives. */
async function signInByProvider() {
  const { browser, state, answer } = await begin()
  if (state === '') return { page: answer, browser }
  return { page: await comeBack(browser, { state, code: 'c', iss: url }), browser }
}

async function expectNobody(page: { statusCode: number; body: string }, browser: TestBrowser) {
  expect(page.statusCode).toBe(400)
  expect(page.body).toMatch(
    /couldn’t be verified|didn’t|doesn’t answer|has expired|has already been used/,
  )
  expect((await browser.get('/dashboard')).statusCode).toBe(303)
}

describe('a provider that answers as agreed', () => {
  test('signs its person in', async () => {
    const { browser } = await signInByProvider()
    expect((await browser.get('/dashboard')).body).toContain('ann@lantern.example')
    expect(exchanged.at(-1)!.get('client_secret')).toBeNull()
    expect(exchanged.at(-1)!.get('code_verifier')).toHaveLength(43)
  })

  test('may rotate its keys between two sign-ins', async () => {
    const { privateKey, publicKey } = await generateKeyPair('PS256', { extractable: true })
    script.keys = [{ ...(await exportJWK(publicKey)), kid: 'two', alg: 'PS256', use: 'sig' }]
    script.token = () =>
      new SignJWT(claims()).setProtectedHeader({ alg: 'PS256', kid: 'two' }).sign(privateKey)
    const { browser } = await signInByProvider()
    expect((await browser.get('/dashboard')).statusCode).toBe(200)
  })
})

describe('an ID token signs nobody in', () => {
  const cases: [string, () => Promise<string> | string][] = [
    ['without a signature (alg none)', () => new UnsecuredJWT(claims()).encode()],
    [
      'signed with the secret of the registry as a shared key (HS256)',
      () =>
        new SignJWT(claims())
          .setProtectedHeader({ alg: 'HS256', kid: 'one' })
          .sign(Buffer.from('very secret')),
    ],
    [
      'signed with the public key as a shared key (HS256)',
      () =>
        new SignJWT(claims())
          .setProtectedHeader({ alg: 'HS256', kid: 'one' })
          .sign(Buffer.from(JSON.stringify(usual.keys[0]))),
    ],
    [
      'signed with a key that the provider does not publish',
      async () => {
        const { privateKey } = await generateKeyPair('ES256')
        return new SignJWT(claims())
          .setProtectedHeader({ alg: 'ES256', kid: 'one' })
          .sign(privateKey)
      },
    ],
    ['for another audience', () => sign({ ...claims(), aud: 'another' })],
    [
      'for several audiences and another party',
      () => sign({ ...claims(), aud: [UPSTREAM_CLIENT, 'another'], azp: 'another' }),
    ],
    [
      'for several audiences without naming the party',
      () => sign({ ...claims(), aud: [UPSTREAM_CLIENT, 'another'] }),
    ],
    ['of another issuer', () => sign({ ...claims(), iss: 'https://other.example' })],
    ['with the nonce of another sign-in', () => sign({ ...claims(), nonce: 'n'.repeat(43) })],
    ['without a nonce', () => sign({ ...claims(), nonce: undefined })],
    ['that has expired', () => sign({ ...claims(), exp: now() - 60 })],
    ['that never expires', () => sign({ ...claims(), exp: undefined })],
    ['that was issued an hour ago', () => sign({ ...claims(), iat: now() - 3_600 })],
    ['without a subject', () => sign({ ...claims(), sub: undefined })],
    ['with an endless subject', () => sign({ ...claims(), sub: 's'.repeat(256) })],
    ['that is a logout token', () => sign(claims(), { typ: 'logout+jwt' })],
    ['that is none', () => 'a.b.c'],
  ]
  test.each(cases)('%s', async (_, token) => {
    script.token = async () => token()
    const { page, browser } = await signInByProvider()
    await expectNobody(page, browser)
    expect(page.body).toContain('couldn’t be verified')
    expect(details).toEqual([expect.stringContaining('the ID token is refused')])
  })
})

describe('a way back', () => {
  test('from another provider is refused, and its code is sent nowhere (mix-up)', async () => {
    const before = exchanged.length
    const { browser, state } = await begin()
    const other = { state, code: 'stolen', iss: 'https://attacker.example' }
    await expectNobody(await comeBack(browser, other), browser)
    const again = await begin()
    await expectNobody(
      await comeBack(again.browser, { state: again.state, code: 'c' }),
      again.browser,
    )
    expect(exchanged).toHaveLength(before)
  })

  test('that was begun in another browser signs nobody in (login CSRF)', async () => {
    const victim = await begin()
    // The last to begin, so that the provider's answer is the attacker's in everything, its nonce too.
    const attacker = await begin()
    const page = await comeBack(victim.browser, { state: attacker.state, code: 'c', iss: url })
    await expectNobody(page, victim.browser)
    const uid = new URL(victim.at, BASE).pathname.split('/')[2]
    const query = new URLSearchParams({ state: attacker.state, code: 'c', iss: url })
    await expectNobody(await victim.browser.get(`/sign-in/${uid}/return?${query}`), victim.browser)
  })

  test('counts once: a second use of its state signs nobody in', async () => {
    const { browser, state } = await begin()
    script.token = () => sign({ ...claims(), aud: 'another' })
    await comeBack(browser, { state, code: 'c', iss: url })
    script.token = usual.token
    const page = await comeBack(browser, { state, code: 'c', iss: url })
    expect(page.body).toContain('has already been used')
    await expectNobody(page, browser)
  })

  test.each([
    ['without a state', {}],
    ['with a made-up state', { state: `uid.${'s'.repeat(43)}` }],
    ['with a state of another form', { state: '../../dashboard' }],
  ])('%s ends', async (_, query) => {
    const { browser } = await begin()
    await expectNobody(await comeBack(browser, { code: 'c', iss: url, ...query }), browser)
  })

  test('without a code is refused', async () => {
    const { browser, state } = await begin()
    await expectNobody(await comeBack(browser, { state, iss: url }), browser)
  })
})

describe('a provider that', () => {
  const broken: [string, RegExp, () => void][] = [
    [
      'is away',
      /connection|reset|closed|hang/,
      () => {
        script.answerMetadata = response => void response.destroy()
      },
    ],
    [
      'has no metadata',
      /404|status/,
      () => {
        script.answerMetadata = response => void response.writeHead(404).end()
      },
    ],
    [
      'answers slowly',
      /time/,
      () => {
        script.answerMetadata = () => undefined
      },
    ],
    [
      'sends endless metadata',
      /size limit/,
      () => {
        script.answerMetadata = response => {
          response.write(' '.repeat(1_000_000))
        }
      },
    ],
    [
      'names another issuer',
      /another issuer/,
      () => {
        script.metadata = { ...usual.metadata, issuer: 'https://other.example' }
      },
    ],
    [
      'sends people to a script',
      /incomplete/,
      () => {
        script.metadata = { ...usual.metadata, authorization_endpoint: 'javascript:alert(1)' }
      },
    ],
    [
      'redirects the crawler',
      /redirect/,
      () => {
        script.answerMetadata = response =>
          void response.writeHead(302, { location: `${url}/jwks` }).end()
      },
    ],
    [
      'keeps its keys in a private network',
      /public internet/,
      () => {
        script.metadata = { ...usual.metadata, jwks_uri: 'http://10.0.0.1/jwks' }
      },
    ],
    [
      'takes codes in a private network',
      /public internet/,
      () => {
        script.metadata = { ...usual.metadata, token_endpoint: 'http://169.254.169.254/token' }
      },
    ],
    [
      'refuses the code',
      /400 invalid_grant/,
      () => {
        script.answerToken = response =>
          void response.writeHead(400).end('{"error":"invalid_grant"}')
      },
    ],
    [
      'fails at the code',
      /500/,
      () => {
        script.answerToken = response => void response.writeHead(500).end('oops')
      },
    ],
    [
      'hangs up on the code',
      /connection|reset|closed/,
      () => {
        script.answerToken = response => void response.destroy()
      },
    ],
    [
      'lets the code wait',
      /time/,
      () => {
        script.answerToken = () => undefined
      },
    ],
    [
      'sends an endless token',
      /size limit/,
      () => {
        script.answerToken = response => {
          response.write(' '.repeat(1_000_000))
        }
      },
    ],
    [
      'sends no ID token',
      /no ID token/,
      () => {
        script.answerToken = response => void response.end('{"access_token":"x"}')
      },
    ],
    [
      'publishes no key',
      /no applicable key/,
      () => {
        script.keys = []
      },
    ],
    [
      'publishes a shared key',
      /no applicable key/,
      () => {
        script.keys = [{ kty: 'oct', k: 'AAAA', kid: 'one', alg: 'HS256' }]
      },
    ],
  ]
  test.each(broken)('%s signs nobody in, and the person reads so', async (_, detail, breakIt) => {
    breakIt()
    const { page, browser } = await signInByProvider()
    await expectNobody(page, browser)
    expect(page.body).toContain('Continue with Lantern')
    expect(details.join()).toMatch(detail)
  })
})

test('a caller can begin a limited number of sign-ins an hour', async () => {
  const bounded = await openWithUpstream(
    redis,
    { OPENID_ISSUER: url, OPENID_CLIENT_ID: UPSTREAM_CLIENT },
    { limits: { upstreamSignInsPerCallerHour: 2 }, settings: { OPENID_NAME: 'Lantern' } },
  )
  await redis.redis.flushall()
  const statuses: number[] = []
  for (let each = 0; each < 3; each++) {
    const browser = new TestBrowser(bounded)
    const { at } = await follow(browser, await browser.get('/dashboard'))
    const answer = await browser.post(`${at}/upstream`, {}, { 'sec-fetch-site': 'same-origin' })
    statuses.push(answer.statusCode)
  }
  expect(statuses).toEqual([200, 200, 400])
  await bounded.close()
})

test('links and passkeys are closed, and the way back where no provider is set', async () => {
  const { browser, at } = await begin()
  for (const path of ['link', 'passkey', 'open']) {
    expect((await browser.post(`${at}/${path}`, { email: 'ann@acme.example' })).statusCode).toBe(
      404,
    )
  }
  expect(registry.links).toEqual([])
})
