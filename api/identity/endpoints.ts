import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { MINUTE } from '../../pipeline/core/clock.ts'
import { toCaller } from '../limits/caller.ts'
import { buildAddressLimit } from '../limits/per-address.ts'
import { REQUEST_ID } from '../operation/request-ids.ts'
import type { Services } from '../operation/services.ts'
import type { RoutePath } from '../operation/unknown-routes.ts'
import { setForwardedHost } from './forwarded-host.ts'
import type { Identity } from './identity.ts'
import { withBrowser } from './pending-requests.ts'
import { addSignIn, signInPaths } from './sign-in.ts'

const OPENID = '/.well-known/openid-configuration'

const get = (path: string) => ({ method: 'GET', path }) as const
const post = (path: string) => ({ method: 'POST', path }) as const

/** Endpoints of the protocol, which the library answers itself. */
const endpoints: readonly RoutePath[] = [
  get(OPENID),
  get('/oauth/jwks'),
  get('/authorize'),
  post('/authorize'),
  get('/authorize/:uid'),
  post('/token'),
  post('/register'),
  post('/revoke'),
]

export const identityPaths: readonly RoutePath[] = [...endpoints, ...signInPaths]

const AUTHORIZE = '/authorize'
const FORM_BYTES_MAX = 16_384
const FORM = 'application/x-www-form-urlencoded'

/** Adds the authorization server and the pages on which people sign in. */
export function addIdentity(app: FastifyInstance, identity: Identity, services: Services): void {
  app.register(async scope => {
    scope.removeAllContentTypeParsers()
    // The library reads and limits bodies itself.
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null))
    for (const { method, path } of endpoints) {
      if (method === 'POST' && path === AUTHORIZE) continue
      scope.route({
        method: method === 'GET' ? ['GET', 'HEAD'] : method,
        exposeHeadRoute: false,
        url: path,
        config: buildRouteConfig(path, services),
        handler: async (request, reply) => {
          if (storing.has(path)) await identity.requireRoom()
          if (path === '/register') await countRegistration(request, identity, services)
          await passOn(request, reply, identity, services)
        },
      })
    }
  })
  addAuthorizeByForm(app, identity, services)
  app.register(async scope => addSignIn(scope, identity, services))
}

/** Paths that make the registry store something; without memory for it they are refused. */
const storing = new Set(['/authorize/:uid', '/token', '/register'])

function buildRouteConfig(path: string, { config: { LIMITS } }: Services) {
  const limit = path === AUTHORIZE && {
    rateLimit: buildAddressLimit(LIMITS.authorizationsPerMinute, MINUTE),
  }
  return { operation: 'identity', ...limit }
}

/** Passes a request on to the library. */
async function passOn(
  request: FastifyRequest,
  reply: FastifyReply,
  identity: Identity,
  services: Services,
): Promise<void> {
  const provider = await identity.getProvider(services)
  setForwardedHost(request.raw, services.baseUrl())
  // Applications in browsers send requests from any origin; preflights are answered like those of other paths.
  if (!request.url.startsWith(AUTHORIZE)) reply.raw.setHeader('access-control-allow-origin', '*')
  reply.raw.setHeader(REQUEST_ID, request.id)
  reply.hijack()
  await withBrowser(request, reply, () => provider.callback()(request.raw, reply.raw))
}

/** Adds the authorization request as a form, which is answered as the same request in a query is (OpenID Connect Core 3.1.2.1). */
function addAuthorizeByForm(app: FastifyInstance, identity: Identity, services: Services): void {
  app.register(async scope => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser(
      FORM,
      { parseAs: 'string', bodyLimit: FORM_BYTES_MAX },
      (_, body, done) => done(null, body),
    )
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null, ''))
    scope.route({
      method: 'POST',
      url: AUTHORIZE,
      config: buildRouteConfig(AUTHORIZE, services),
      handler: async (request, reply) => {
        const url = `${AUTHORIZE}?${String(request.body ?? '')}`
        // Browsers send the cookie of a session with a form of another site only once it has become a GET.
        if (isFromOtherSite(request)) return reply.redirect(url, 303)
        Object.assign(request.raw, { method: 'GET', url })
        return passOn(request, reply, identity, services)
      },
    })
  })
}

function isFromOtherSite({ headers }: FastifyRequest): boolean {
  const site = headers['sec-fetch-site']
  return site === 'cross-site' || site === 'same-site'
}

/** Counts an application that registers, since it is stored. */
async function countRegistration(
  { ip }: FastifyRequest,
  identity: Identity,
  { config: { LIMITS } }: Services,
): Promise<void> {
  await identity.countOrRefuse(
    [`registered:${toCaller(ip)}`, LIMITS.clientRegistrationsPerHour],
    ['registered', LIMITS.clientRegistrationsPerHourInAll],
  )
}
