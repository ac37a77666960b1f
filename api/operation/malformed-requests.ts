import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import {
  PublicError,
  type PublicErrorName,
  publicErrors,
  toErrorBody,
} from '../../pipeline/core/errors.ts'

const refusals: Record<string, PublicErrorName> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
}

/** Answers bytes that are not valid HTTP with 400, 408 or 431, before there is a request object. */
export function answerMalformed(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) return
  const refusal = refusals[error.code ?? ''] ?? 'invalid_request'
  end(socket, refusal, `the request is not valid HTTP (${toStatusLine(refusal)})`)
}

/** Refuses valid HTTP that this server does not support: CONNECT with 405, unknown expectations with 417. */
export function refuseUnsupported(server: Server): void {
  server.on('connect', (_, socket) => {
    socket.on('error', () => undefined)
    end(socket, 'method_not_allowed', 'this server is not a proxy')
  })
  server.on('checkExpectation', (_, response) => {
    const body = formatBody('expectation_failed', 'the only supported expectation is 100-continue')
    response
      .writeHead(publicErrors.expectation_failed.status, {
        'content-type': JSON_TYPE,
        connection: 'close',
      })
      .end(body)
  })
}

/** Refuses requests that name no host, which HTTP/1.1 requires. */
export function requireHost(app: FastifyInstance): void {
  app.addHook('onRequest', ({ headers, raw }, _reply, done) => {
    const isMissing = headers.host === undefined && raw.httpVersion === '1.1'
    done(isMissing ? new PublicError('invalid_request', 'Host: is required') : undefined)
  })
}

/** Refuses a connection with 503, without reading its request. */
export function refuseConnection(socket: Socket): void {
  socket.on('error', () => undefined)
  end(socket, 'unavailable', 'too many connections; try again', RETRY_AFTER_S)
  socket.destroySoon()
}

const RETRY_AFTER_S = 1
const JSON_TYPE = 'application/json; charset=utf-8'

/** Reason phrases of the statuses with which a connection is refused. */
const phrases: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  431: 'Request Header Fields Too Large',
  503: 'Service Unavailable',
}

function toStatusLine(refusal: PublicErrorName): string {
  const { status } = publicErrors[refusal]
  return `${status} ${phrases[status]}`
}

/** Ends a connection with a refusal; `retryAfter` in seconds. */
function end(socket: Duplex, refusal: PublicErrorName, text: string, retryAfter?: number): void {
  const body = formatBody(refusal, text)
  const retry = retryAfter === undefined ? '' : `retry-after: ${retryAfter}\r\n`
  socket.end(
    `HTTP/1.1 ${toStatusLine(refusal)}\r\ncontent-type: ${JSON_TYPE}\r\n${retry}` +
      `content-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`,
  )
}

function formatBody(refusal: PublicErrorName, text: string): string {
  return JSON.stringify(toErrorBody(refusal, text))
}
