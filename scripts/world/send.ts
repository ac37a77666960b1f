import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { TLSSocket } from 'node:tls'
import type { Answer } from './answer.ts'

/** Sends an answer. A slow one ends when the client disconnects or the server closes. */
export function send(answer: Answer, request: IncomingMessage, response: ServerResponse): void {
  switch (answer.kind) {
    case 'whole':
      return sendWhole(answer, request, response)
    case 'stream':
      response.writeHead(answer.status, answer.headers)
      pipeline(Readable.from(answer.chunks()), response).catch(ignoreGoneClient)
      return
    case 'drip':
      return sendSlowly(answer, response)
    case 'cut':
      response.writeHead(answer.status, {
        ...answer.headers,
        'content-length': answer.promisedBytes,
      })
      response.write(answer.body, () => response.destroy())
      return
    case 'left_open':
      response.writeHead(answer.status, answer.headers).write(answer.body)
      return
    case 'hang':
      return
    case 'reset':
      return resetConnection(request)
  }
}

function sendWhole(
  answer: Answer & { kind: 'whole' },
  request: IncomingMessage,
  response: ServerResponse,
): void {
  if (answer.etag !== undefined) {
    if (isNamed(answer.etag, request.headers['if-none-match'])) {
      response.writeHead(304, { etag: answer.etag }).end()
      return
    }
    response.setHeader('etag', answer.etag)
  }
  if (answer.body.length > 0) response.setHeader('content-length', answer.body.length)
  response.writeHead(answer.status, answer.headers).end(answer.body)
}

function sendSlowly(answer: Answer & { kind: 'drip' }, response: ServerResponse): void {
  let sent = 0
  response.writeHead(answer.status, answer.headers)
  const timer = setInterval(() => {
    if (sent >= answer.body.length) response.end()
    else response.write(answer.body.subarray(sent, ++sent))
  }, answer.everyMs)
  response.on('close', () => clearInterval(timer))
}

function resetConnection(request: IncomingMessage): void {
  // A TLS socket cannot send a reset; to the client a close without an answer looks the same.
  if (request.socket instanceof TLSSocket) request.socket.destroy()
  else request.socket.resetAndDestroy()
}

function isNamed(etag: string, ifNoneMatch: string | undefined): boolean {
  if (ifNoneMatch === undefined) return false
  return ifNoneMatch.split(',').some(part => {
    const tag = part.trim()
    return tag === '*' || tag === etag || tag === `W/${etag}`
  })
}

function ignoreGoneClient(): void {}
