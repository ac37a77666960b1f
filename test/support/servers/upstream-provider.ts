import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, type JWK } from 'jose'
import Provider from 'oidc-provider'
import { type Clock, systemClock } from '../../../pipeline/core/clock.ts'
import { BASE, openWithSignIn, type SignInRegistry } from '../clients/signing-in.ts'
import type { TestRedis } from '../processes/redis.ts'
import type { RegistryOptions } from '../registry/app.ts'
import { createCrawlerWith } from './issuer.ts'

export const UPSTREAM_CLIENT = 'registry'
const SECRET = 'a secret of the registry at its provider'

export interface TestProvider {
  url: string
  settings: Record<string, string>
  /** Claims about the person who signs in, by login. */
  people: Map<string, object>
  /** Stops answering, and answers again. */
  pause(): void
  resume(): void
  /** Signs with another key from now on, and publishes the one before no more. */
  rotate(): Promise<void>
  close(): Promise<void>
}

/** Starts an OpenID provider on this machine: the library of the registry, with the library's own sign-in pages. */
export async function startProvider(redirectUri = `${BASE}/sign-in/return`): Promise<TestProvider> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const people = new Map<string, object>()
  let answer = await createAnswer(url, redirectUri, people)
  let isPaused = false
  server.on('request', (request, response) =>
    isPaused ? response.destroy() : answer(request, response),
  )
  return {
    url,
    settings: {
      OPENID_ISSUER: url,
      OPENID_CLIENT_ID: UPSTREAM_CLIENT,
      OPENID_CLIENT_SECRET: SECRET,
      OPENID_NAME: 'Lantern accounts',
    },
    people,
    pause() {
      isPaused = true
    },
    resume() {
      isPaused = false
    },
    async rotate() {
      answer = await createAnswer(url, redirectUri, people)
    },
    close: () => closeServer(server),
  }
}

async function createAnswer(url: string, redirectUri: string, people: Map<string, object>) {
  const provider = new Provider(url, {
    clients: [{ client_id: UPSTREAM_CLIENT, client_secret: SECRET, redirect_uris: [redirectUri] }],
    jwks: { keys: [await createJwk()] },
    cookies: { keys: ['of a test'] },
    claims: { profile: ['name'], email: ['email', 'email_verified'] },
    conformIdTokenClaims: false,
    findAccount: (_, sub) => ({
      accountId: sub,
      claims: () => ({
        sub,
        email: `${sub}@lantern.example`,
        email_verified: true,
        ...people.get(sub),
      }),
    }),
  })
  return provider.callback()
}

async function createJwk(): Promise<JWK> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true })
  return { ...(await exportJWK(privateKey)), alg: 'RS256', use: 'sig', kid: `key-${Math.random()}` }
}

export async function closeServer(server: Server): Promise<void> {
  server.closeAllConnections()
  server.close()
  await once(server, 'close')
}

/** Opens a registry at which people sign in by a provider, with a crawler that reaches it. */
export async function openWithUpstream(
  redis: TestRedis,
  settings: Record<string, string>,
  options: RegistryOptions = {},
  clock: Clock = systemClock,
): Promise<SignInRegistry> {
  const crawler = createCrawlerWith(
    { ...settings, ...(options.limits && { LIMITS: JSON.stringify(options.limits) }) },
    clock,
  )
  const registry = await openWithSignIn({
    redis: redis.redis,
    ...options,
    settings: { ...settings, ...options.settings },
    writer: { requestLive: crawler.requestLive, ...options.writer },
  })
  const { close } = registry
  return Object.assign(registry, {
    async close() {
      await close()
      await crawler.close()
    },
  })
}

/** Signs in at the provider as `login`, and returns the address to which it sends the browser back. */
export async function passProvider(address: string, login: string): Promise<URL> {
  const cookies = new Map<string, string>()
  const origin = new URL(address).origin
  const send = async (url: string, form?: Record<string, string>) => {
    const answer = await fetch(url, {
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(form && { method: 'POST', body: new URLSearchParams(form) }),
    })
    for (const line of answer.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!
      cookies.set(name!, value!)
    }
    return new URL(answer.headers.get('location') ?? url, url)
  }
  let at = await send(address)
  for (let steps = 0; steps < 10 && at.origin === origin; steps++) {
    if (!at.pathname.startsWith('/interaction/')) at = await send(at.href)
    else {
      const isLogin = (
        await (
          await fetch(at, {
            headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
          })
        ).text()
      ).includes('name="login"')
      at = await send(
        at.href,
        isLogin ? { prompt: 'login', login, password: 'x' } : { prompt: 'consent' },
      )
    }
  }
  return at
}
