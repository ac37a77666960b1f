import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

const statuses: Record<string, string> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
}

/** Answers what is not HTTP, before there is a request. */
export function answerMalformed(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) return
  const status = statuses[error.code ?? ''] ?? '400 Bad Request'
  end(socket, status, `the request is not valid HTTP (${status})`)
}

/** Answers what is HTTP and yet no request to us: to be a proxy, or to expect what nobody knows. */
export function answerOdd(server: Server): void {
  server.on('connect', (_, socket) => {
    socket.on('error', () => undefined)
    end(socket, '405 Method Not Allowed', 'this is no proxy')
  })
  server.on('checkExpectation', (_, response) => {
    const body = bodyOf('nothing can be expected but 100-continue')
    response.writeHead(417, { 'content-type': JSON_TYPE, connection: 'close' }).end(body)
  })
}

const JSON_TYPE = 'application/json; charset=utf-8'

function end(socket: Duplex, status: string, error: string): void {
  const body = bodyOf(error)
  socket.end(
    `HTTP/1.1 ${status}\r\ncontent-type: ${JSON_TYPE}\r\n` +
      `content-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`,
  )
}

function bodyOf(error: string): string {
  return JSON.stringify({ error })
}
