import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isRedisFailure } from '../../jobs/redis.ts'
import {
  PublicError,
  type PublicErrorName,
  publicErrors,
  toErrorBody,
} from '../../pipeline/core/errors.ts'
import { requireValue } from '../../pipeline/core/present.ts'
import { buildChallenge } from '../auth/principal.ts'
import { findUnknowable } from '../auth/unknown-facts.ts'
import type { Sent } from '../responses/reply.ts'
import { anyOrigin, buildExposedHeaders } from './cross-origin.ts'
import type { Services } from './services.ts'

const REDIS_RETRY_S = 5

/** Errors of the framework, by code, with the error and text that we answer instead. */
const frameworkErrors: Record<string, [PublicErrorName, string]> = {
  FST_ERR_BAD_URL: ['invalid_request', 'the path has a malformed percent escape'],
  FST_ERR_MAX_PARAM_LENGTH: ['invalid_request', 'a part of the path is too long'],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ['unsupported_media_type', 'the body must be application/json'],
  FST_ERR_CTP_INVALID_JSON_BODY: ['invalid_request', 'body: is not valid JSON'],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ['invalid_request', 'Content-Length does not match the body'],
}

/** Builds the page that tells a browser of an error. */
type BuildErrorPage = (
  error: PublicError | undefined,
  failed: { method: string; url: string; sent: object },
  services: Services,
) => Sent

/** Registers the only handler that converts errors to responses. Browsers get pages where these are served. */
export function answerErrors(
  app: FastifyInstance,
  services: Services,
  buildErrorPage: BuildErrorPage | undefined,
): void {
  const { log, boundedLog, metrics, baseUrl } = services
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const { operation, worksWithoutStores } = request.routeOptions.config
    const known = toPublicError(error, request.routeOptions.bodyLimit)
    const isKnown =
      operation === undefined || worksWithoutStores || isWithoutCredential(known, request)
    const publicError = (isKnown ? undefined : findUnknowable(known?.status, services)) ?? known
    const status = publicError?.status ?? 500
    const line = { error, request: request.id, operation, status }
    if (publicError === undefined) log.error(line, 'request failed')
    else if (status < 500) log.debug({ ...line, error: error.message }, 'refused')
    else boundedLog.warn(`refused ${operation}`, { ...line, error: error.message }, 'refused')
    metrics.findMeter(operation).count(status)
    if (publicError?.status === publicErrors.unauthenticated.status) {
      const { url, headers } = request
      const resource = /^\/mcp\b/.test(url) ? 'mcp' : 'api'
      const isCredentialSent = headers.authorization !== undefined
      reply.header('www-authenticate', buildChallenge(baseUrl(), resource, { isCredentialSent }))
    }
    reply.headers(buildExposedHeaders(request))
    return buildErrorPage && wantsPage(request)
      ? sendErrorPage(
          publicError,
          reply,
          buildErrorPage(
            publicError,
            { method: request.method, url: request.url, sent: listSent(request) },
            services,
          ),
        )
      : sendError(publicError, reply)
  })
}

/** Tells whether a request is refused since it names no credential, whatever the stores have. */
function isWithoutCredential(error: PublicError | undefined, { headers }: FastifyRequest): boolean {
  return error?.error === 'unauthenticated' && headers.authorization === undefined
}

/** Lists what a request sent in its path and its query. */
function listSent({ params, query }: FastifyRequest): object {
  return { ...(params as object), ...(query as object) }
}

/** Tells whether to answer an error with a page: for pages, and when a browser asks for an unknown path. */
function wantsPage({ routeOptions, headers, url }: FastifyRequest): boolean {
  const { operation, isPage } = routeOptions.config
  if (operation !== undefined) return isPage === true
  return /\btext\/html\b/.test(headers.accept ?? '') && !/^\/(?:api|v1|mcp)\b/.test(url)
}

function sendErrorPage(
  error: PublicError | undefined,
  reply: FastifyReply,
  { status, body, type, headers }: Sent,
): FastifyReply {
  const { retryAfterSeconds } = error ?? {}
  if (retryAfterSeconds !== undefined) reply.header('retry-after', String(retryAfterSeconds))
  reply.headers({ ...error?.headers, ...headers, 'cache-control': 'no-store' })
  return reply
    .header('x-content-type-options', 'nosniff')
    .code(status)
    .type(requireValue(type, 'media type of the page'))
    .send(body)
}

export function sendError(error: PublicError | undefined, reply: FastifyReply): FastifyReply {
  reply.header('cache-control', 'no-store').header('x-content-type-options', 'nosniff')
  reply.headers(anyOrigin).type('application/json; charset=utf-8')
  if (error === undefined)
    return reply.code(500).send(JSON.stringify(toErrorBody('internal_error', 'internal error')))
  const { retryAfterSeconds, headers } = error
  reply.headers(headers)
  if (retryAfterSeconds !== undefined) reply.header('retry-after', String(retryAfterSeconds))
  return reply.code(error.status).send(JSON.stringify(error.body))
}

/** Converts an error to one that a caller may see; undefined if the fault is ours. */
export function toPublicError(
  error: FastifyError | PublicError,
  bodyLimit?: number,
): PublicError | undefined {
  if (error instanceof PublicError) return error
  if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE')
    return new PublicError('too_large', `the body may have at most ${bodyLimit} bytes`)
  if (isRedisFailure(error))
    return new PublicError('unavailable', 'this is not possible at the moment; try again', {
      retry_after: REDIS_RETRY_S,
    })
  const known = frameworkErrors[error.code]
  if (known) return new PublicError(...known)
  if (error.statusCode === 416)
    return new PublicError('range_not_satisfiable', 'the file ends before this range')
  // Broken JSON, `__proto__` in a body, an aborted upload: the server has no code for these.
  return error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500
    ? new PublicError('invalid_request', `body: ${error.message}`)
    : undefined
}
