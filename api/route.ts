import type { OutgoingHttpHeaders } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { signing } from './asker.ts'
import { attemptOf } from './attempt.ts'
import { authenticate, type Principal, recognise } from './auth.ts'
import { callerOf } from './budget.ts'
import { anyOrigin, exposing } from './cross-origin.ts'
import { cachePolicies, isHeld } from './freshness.ts'
import { limitOf, limitPolicy } from './limits.ts'
import type { Operation } from './operation.ts'
import type { Sent, Streamed } from './reply.ts'
import type { Services } from './services.ts'

declare module 'fastify' {
  interface FastifyRequest {
    principal: Principal | undefined
    /** Under which a write is handed in. */
    attempt: string
  }
  interface FastifyContextConfig {
    operation?: string
  }
}

const JSON_TYPE = 'application/json; charset=utf-8'
const SLOW_MS = 1_000

/** Adds a route for every operation. */
export function addRoutes(
  app: FastifyInstance,
  operations: readonly Operation[],
  services: Services,
): void {
  app.decorateRequest('principal', undefined)
  app.decorateRequest('attempt', '')
  for (const operation of operations.filter(({ raw }) => !raw)) {
    app.route(routeOf(operation, services))
  }
  app.register(async scope => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_, body, done) => done(null, body))
    for (const operation of operations.filter(({ raw }) => raw)) {
      scope.route(routeOf(operation, services))
    }
  })
}

function routeOf(operation: Operation, services: Services): RouteOptions {
  const { id, method, path, query, params, body, access, limit } = operation
  return {
    // Made by the framework, a HEAD would say of a 304 that its content is empty.
    method: method === 'GET' ? ['GET', 'HEAD'] : method,
    exposeHeadRoute: false,
    url: path,
    config: {
      operation: id,
      ...(limit && { rateLimit: limitOf(limit, services.config) }),
    },
    schema: {
      ...(query && { querystring: query }),
      ...(params && { params }),
      ...(body && { body }),
    },
    ...(access !== 'public' && {
      onRequest: [
        (request, _reply, done) => {
          const found = callers[access](services, request.headers.authorization)
          if (found instanceof Promise) {
            found.then(principal => {
              request.principal = principal
              done()
            }, done)
            return
          }
          request.principal = found
          done()
        },
        ...(operation.once || operation.quota ? [naming] : []),
        ...(operation.quota ? [reserving(services)] : []),
      ],
    }),
    handler: handlerOf(operation, services),
  }
}

/** How the caller is found; a credential that is only looked at cannot fail. */
const callers = { bearer: authenticate, optional: recognise }

/** Gives a write the id under which it is handed in. */
async function naming(request: FastifyRequest) {
  const { headers, principal, url } = request
  request.attempt = attemptOf(headers, url.split('?', 1)[0]!, principal!)
}

/** Takes a place for a save before the request is looked at: wrong ones count too. */
function reserving({ saves, clock }: Services) {
  return async ({ attempt: id, principal }: FastifyRequest, reply: FastifyReply) => {
    const { id: user, org_id: organization } = principal!
    reply.headers(await saves.reserve({ id, user, organization }, clock.now()))
  }
}

function handlerOf(operation: Operation, services: Services): RouteOptions['handler'] {
  const { limit } = operation
  const headers = {
    ...headersOf(operation),
    ...(limit && limitPolicy(limit, services.config)),
  }
  const measure = measuring(operation, services)
  const answer = (request: FastifyRequest, reply: FastifyReply, sent: Sent, started: number) => {
    send(request, reply.headers(headers).headers(exposing(request)), sent)
    measure(request, reply.statusCode, started)
    return reply
  }
  return (request, reply) => {
    const started = performance.now()
    const offered = operation.writes ? signing(request, services) : services
    const { query, params, body, principal, attempt } = request
    const caller = () => callerOf(request.ip)
    const header = (name: string) => request.headers[name]
    const call = { query, params, body, principal, attempt, header, caller, services: offered }
    const sent = operation.handle(call)
    if ('open' in sent)
      return stream(request, reply.headers(headers).headers(exposing(request)), sent)
    if (!(sent instanceof Promise)) return answer(request, reply, sent, started)
    return sent.then(late => answer(request, reply, late, started))
  }
}

/** The framework lets go of the answer here; whoever opened it ends it. */
function stream(
  request: FastifyRequest,
  reply: FastifyReply,
  sent: Streamed,
): FastifyReply | undefined {
  reply.headers(sent.headers)
  if (sent.etag !== undefined) {
    reply.header('etag', `"${sent.etag}"`)
    if (isHeld(request.headers, sent)) return reply.code(304).send()
  }
  const headers = reply.getHeaders()
  reply.hijack()
  reply.raw.writeHead(200, headers as OutgoingHttpHeaders)
  // A HEAD has its answer: whatever is written to it is dropped, so a stream would never begin nor end.
  if (request.method === 'HEAD') reply.raw.end()
  else sent.open(reply.raw)
  return undefined
}

/** Counts and times the answers of an operation; one that took long is a line in the log. */
function measuring({ id }: Operation, { metrics, log }: Services) {
  const meter = metrics.meterOf(id)
  return ({ id: request }: FastifyRequest, status: number, started: number) => {
    const ms = performance.now() - started
    meter.count(status)
    meter.time(ms)
    log[ms > SLOW_MS ? 'warn' : 'debug']({ request, operation: id, status, ms }, 'answered')
  }
}

function headersOf({ access, cache }: Operation): Record<string, string> {
  return {
    'cache-control': cachePolicies[cache],
    'x-content-type-options': 'nosniff',
    ...(access === 'optional' && { vary: 'authorization' }),
    ...anyOrigin,
  }
}

function send(request: FastifyRequest, reply: FastifyReply, sent: Sent): FastifyReply {
  const { status, body, type, etag, modifiedAt, headers } = sent
  if (headers !== undefined) reply.headers(headers)
  if (etag !== undefined) reply.header('etag', `"${etag}"`)
  if (modifiedAt !== undefined) reply.header('last-modified', new Date(modifiedAt).toUTCString())
  if (isHeld(request.headers, sent)) return reply.code(304).send()
  if (status === 204) return reply.code(204).send()
  reply.code(status).header('content-type', type ?? JSON_TYPE)
  return reply.send(Buffer.isBuffer(body) || typeof body === 'string' ? body : JSON.stringify(body))
}
