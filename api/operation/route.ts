import type { OutgoingHttpHeaders } from 'node:http'
import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  FastifySchema,
  FastifySchemaCompiler,
  RouteOptions,
} from 'fastify'
import type { Principal } from '../auth/principal.ts'
import { findUnknowable } from '../auth/unknown-facts.ts'
import { toCaller } from '../limits/caller.ts'
import { buildLimit, buildLimitPolicy } from '../limits/per-address.ts'
import { buildCacheControl, isUnchanged } from '../responses/freshness.ts'
import { buildAsOfHeader } from '../responses/lists.ts'
import type { Sent, Streamed } from '../responses/reply.ts'
import { sendAnswer } from '../responses/send.ts'
import { chooseAnswering } from './answering.ts'
import { anyOrigin, buildExposedHeaders } from './cross-origin.ts'
import type { Operation } from './operation.ts'
import { buildHooks } from './request-hooks.ts'
import { type Services, withActor } from './services.ts'
import { chooseSharedHeaders } from './shared-headers.ts'
import { compileValidator, createBoundedCompiler } from './validation.ts'

declare module 'fastify' {
  interface FastifyRequest {
    principal: Principal | undefined
    /** Id of the submission that a write makes. */
    submissionId: string
    /** Releases the caller's slot, if the request took one. */
    releaseSlot: (() => void) | undefined
  }
  interface FastifyContextConfig {
    operation?: string
    isPage?: true
    /** It tells nothing of the stores. */
    worksWithoutStores?: true
  }
}

const SLOW_MS = 1_000

/** Adds a route for every operation. */
export function addRoutes(
  app: FastifyInstance,
  operations: readonly Operation[],
  services: Services,
): void {
  app.decorateRequest('principal', undefined)
  app.decorateRequest('submissionId', '')
  app.decorateRequest('releaseSlot', undefined)
  for (const operation of operations.filter(({ raw }) => !raw)) {
    app.route(buildRoute(operation, services))
  }
  app.register(async scope => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_, body, done) => done(null, body))
    for (const operation of operations.filter(({ raw }) => raw)) {
      scope.route(buildRoute(operation, services))
    }
  })
}

function buildRoute(operation: Operation, services: Services): RouteOptions {
  const { id, method, path, query, params, body, limit, bodyLimit } = operation
  const { isExpensive, isPage, worksWithoutStores } = operation
  return {
    // A HEAD made by the framework would send content-length 0 with a 304.
    method: method === 'GET' ? ['GET', 'HEAD'] : method,
    exposeHeadRoute: false,
    ...(bodyLimit && { bodyLimit: services.config.LIMITS[bodyLimit] }),
    url: path,
    config: {
      operation: id,
      ...(isPage && { isPage }),
      ...(worksWithoutStores && { worksWithoutStores }),
      ...(limit && { rateLimit: buildLimit(limit, services.config) }),
    },
    schema: {
      ...(query && { querystring: query }),
      ...(params && { params }),
      ...(body && { body }),
    },
    // Expensive operations accept long lists, whose items are checked on a thread; all others stop checking at a limit.
    validatorCompiler: (isExpensive
      ? compileValidator
      : createBoundedCompiler(operation.nameFault)) as FastifySchemaCompiler<FastifySchema>,
    ...buildHooks(operation, services),
    handler: buildHandler(operation, services),
  }
}

function buildHandler(operation: Operation, services: Services): RouteOptions['handler'] {
  const { limit, worksWithoutStores } = operation
  const headers = {
    ...buildHeaders(operation, services.config.SHARED_CACHE_S),
    ...(limit && buildLimitPolicy(limit, services.config)),
  }
  const listShared = chooseSharedHeaders(operation, services)
  const measure = measureRequest(operation, services)
  const { answerGroup, compressor } = services
  const answer = (request: FastifyRequest, reply: FastifyReply, sent: Sent, started: number) => {
    const asOf = buildAsOfHeader(sent, services.reader)
    const exposed = buildExposedHeaders(request)
    const shared = listShared?.(request, sent)
    const done = sendAnswer(request, reply, sent, compressor, headers, exposed, asOf, shared)
    measure(request, reply.statusCode, started + (sent.waitedMs ?? 0))
    return done
  }
  const answerRequest = chooseAnswering(operation, services)
  return (request, reply) => {
    const started = performance.now()
    const offered = operation.writes ? withActor(request, services) : services
    const { query, params, body, principal, submissionId } = request
    const caller = () => toCaller(request.ip)
    const header = (name: string) => request.headers[name]
    const bodyBytes = () => Number(request.headers['content-length'] ?? Number.POSITIVE_INFINITY)
    const call: Parameters<typeof answerRequest>[0] = {
      query,
      params,
      body,
      principal,
      submissionId,
      header,
      bodyBytes,
      caller,
      signal: () => watchCaller(reply),
      services: offered,
    }
    const sent = answerRequest(call)
    if ('open' in sent) {
      reply.headers(headers).headers(buildExposedHeaders(request))
      return stream(request, reply.headers(buildAsOfHeader(sent, services.reader)), sent)
    }
    const send = (ready: Sent) => {
      const unknown = worksWithoutStores ? undefined : findUnknowable(ready.status, services)
      if (unknown) return void reply.send(unknown)
      return answerGroup.add(reply, () => answer(request, reply, ready, started))
    }
    if (sent instanceof Promise) sent.then(send, error => void reply.send(error))
    else send(sent)
    return undefined
  }
}

/** Returns a signal that is aborted when the connection closes before the answer was sent. */
function watchCaller({ raw }: FastifyReply): AbortSignal {
  const left = new AbortController()
  const leave = () => {
    if (!raw.writableEnded) left.abort('the caller disconnected')
  }
  if (raw.destroyed) leave()
  else raw.once('close', leave)
  return left.signal
}

/** Takes the response over from the framework; from then on the stream writes and ends it. */
function stream(
  request: FastifyRequest,
  reply: FastifyReply,
  sent: Streamed,
): FastifyReply | undefined {
  reply.headers(sent.headers)
  if (sent.etag !== undefined) {
    reply.header('etag', `"${sent.etag}"`)
    if (isUnchanged(request.headers, sent)) return reply.code(304).send()
  }
  const headers = reply.getHeaders()
  reply.hijack()
  reply.raw.writeHead(200, headers as OutgoingHttpHeaders)
  // A HEAD response is complete: writes to it are dropped, so a stream would never begin nor end.
  if (request.method === 'HEAD') reply.raw.end()
  else sent.open(reply.raw)
  return undefined
}

/** Counts and times the answers of an operation, and logs slow ones. */
function measureRequest({ id }: Operation, { config, metrics, log, boundedLog }: Services) {
  const meter = metrics.findMeter(id)
  const isLogged = config.LOG_LEVEL === 'debug'
  return ({ id: request }: FastifyRequest, status: number, started: number) => {
    const ms = performance.now() - started
    meter.count(status)
    meter.time(ms)
    if (ms <= SLOW_MS && !isLogged) return
    const facts = { request, operation: id, status, ms }
    if (ms > SLOW_MS) boundedLog.info(`slow ${id}`, facts, 'answered')
    else log.debug(facts, 'answered')
  }
}

function buildHeaders({ access, cache }: Operation, sharedS: number): Record<string, string> {
  return {
    'cache-control': buildCacheControl(cache, access === 'public' ? sharedS : 0),
    'x-content-type-options': 'nosniff',
    ...(access === 'optional' && { vary: 'authorization' }),
    ...anyOrigin,
  }
}
