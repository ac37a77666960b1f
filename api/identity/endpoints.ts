import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { HOUR } from '../../pipeline/core/clock.ts'
import { buildAddressLimit } from '../limits/per-address.ts'
import type { Services } from '../operation/services.ts'
import type { RoutePath } from '../operation/unknown-routes.ts'
import { setForwardedHost } from './forwarded-host.ts'
import type { Identity } from './identity.ts'
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

/** Adds the authorization server and the pages on which people sign in. */
export function addIdentity(app: FastifyInstance, identity: Identity, services: Services): void {
  app.register(async scope => {
    scope.removeAllContentTypeParsers()
    // The library reads and limits bodies itself.
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null))
    const forward = async (request: FastifyRequest, reply: FastifyReply) => {
      const provider = await identity.getProvider(services)
      setForwardedHost(request.raw, services.baseUrl())
      // Applications in browsers send requests from any origin; preflights are answered like those of other paths.
      if (!request.url.startsWith('/authorize'))
        reply.raw.setHeader('access-control-allow-origin', '*')
      reply.hijack()
      await provider.callback()(request.raw, reply.raw)
    }
    for (const { method, path } of endpoints) {
      const limit = path === '/register' && {
        rateLimit: buildAddressLimit(services.config.LIMITS.clientRegistrationsPerHour, HOUR),
      }
      scope.route({
        method: method === 'GET' ? ['GET', 'HEAD'] : method,
        exposeHeadRoute: false,
        url: path,
        config: { operation: 'identity', ...limit },
        handler: forward,
      })
    }
  })
  app.register(async scope => addSignIn(scope, identity, services))
}
