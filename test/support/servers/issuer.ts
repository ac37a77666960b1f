import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  type CryptoKey,
  exportJWK,
  exportSPKI,
  generateKeyPair,
  type JWK,
  type JWTHeaderParameters,
  type JWTPayload,
  SignJWT,
} from 'jose'
import type { WriterClient } from '../../../jobs/api-client/writer-client.ts'
import { buildFetcherOptions } from '../../../jobs/crawler/fetcher-options.ts'
import { runLiveRequest } from '../../../jobs/crawler/live-requests.ts'
import type { Clock } from '../../../pipeline/core/clock.ts'
import { readConfig } from '../../../pipeline/core/config.ts'
import { silentLog } from '../../../pipeline/core/log.ts'
import { createFetcher } from '../../../pipeline/fetch/http.ts'
import type { LiveRequest } from '../../../pipeline/model/live/live-request.ts'
import { openRegistry, type RegistryOptions, type TestRegistry } from '../registry/app.ts'
import { buildGenerousLimits } from '../registry/generous-limits.ts'
import { START } from '../worlds/clock.ts'

export const AUDIENCE = 'https://registry.example/api'
export const CLIENT = 'console'

interface Key {
  kid: string
  alg: string
  private: CryptoKey
  public: JWK
  spki: string
}

/** An identity provider on this machine, which publishes its keys and signs any claims. */
export interface TestIssuer {
  url: string
  /** Settings with which a registry accepts its tokens. */
  settings: Record<string, string>
  /** Metadata that it publishes about itself; none unless it is set. */
  server: object | undefined
  /** Paths that were asked for. */
  asked: string[]
  /** Replaces the signing key; the one before is no longer published. */
  rotate(alg?: string): Promise<Key>
  key(): Key
  /** Signs a token for a person; `claims` and `header` override the usual ones. */
  token(claims?: JWTPayload, header?: Partial<JWTHeaderParameters>): Promise<string>
  close(): Promise<void>
}

export async function openIssuer(): Promise<TestIssuer> {
  const asked: string[] = []
  const server = createServer(({ url = '' }, response) => {
    asked.push(url)
    const said = url === '/jwks' ? { keys: published } : issuer.server
    if (said === undefined || (url !== '/jwks' && !url.includes('oauth-authorization-server'))) {
      return void response.writeHead(404).end()
    }
    response.setHeader('content-type', 'application/json').end(JSON.stringify(said))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  let published: JWK[] = []
  let current: Key
  let made = 0
  const issuer: TestIssuer = {
    url,
    settings: {
      AUTH_ISSUER: url,
      AUTH_JWKS_URL: `${url}/jwks`,
      AUTH_AUDIENCE: AUDIENCE,
      AUTH_CLIENT_ID: CLIENT,
    },
    server: undefined,
    asked,
    async rotate(alg = 'ES256') {
      const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true })
      const kid = `key-${++made}`
      const jwk = { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' }
      current = { kid, alg, private: privateKey, public: jwk, spki: await exportSPKI(publicKey) }
      // A key of a kind nobody knows, and one for something else, stand beside it.
      published = [{ kty: 'XYZ', kid: 'odd' }, { ...jwk, kid: 'enc', use: 'enc' }, jwk]
      return current
    },
    key: () => current,
    token: (claims = {}, header = {}) => {
      const payload = { iss: url, aud: AUDIENCE, azp: CLIENT, sub: 'user_1', ...claims }
      const iat = START / 1_000
      return new SignJWT({ iat, exp: iat + 600, ...payload })
        .setProtectedHeader({ alg: current.alg, kid: current.kid, ...header })
        .sign(current.private)
    },
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  await issuer.rotate()
  return issuer
}

/** Runs live requests as a crawler with these settings does, over the real fetcher. */
export function createCrawlerWith(settings: Record<string, string>, clock: Clock) {
  const config = readConfig({ ...buildGenerousLimits(), ...settings })
  const fetcher = createFetcher(buildFetcherOptions(config, clock, silentLog))
  const requestLive = ((request: LiveRequest) =>
    runLiveRequest(request, {}, { fetcher, clock, config })) as WriterClient['requestLive']
  return { requestLive, close: () => fetcher.close() }
}

/** Opens a registry that accepts the tokens of this issuer, with a crawler that reads its keys. */
export async function openWithIssuer(
  issuer: TestIssuer,
  options: RegistryOptions = {},
): Promise<TestRegistry> {
  const settings = { ...issuer.settings, ...options.settings }
  const crawler = createCrawlerWith(settings, { now: () => registry.clock.now() })
  const writer = { requestLive: crawler.requestLive, ...options.writer }
  const registry: TestRegistry = await openRegistry({ ...options, settings, writer })
  const { close } = registry
  return Object.assign(registry, {
    async close() {
      await close()
      await crawler.close()
    },
  })
}
