import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import https from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { createAuthority } from '../../../scripts/world/certificates.ts'
import type { TlsFault } from '../../../scripts/world/site.ts'

/** A server on loopback that answers for every host, and records its requests and connections. */
export interface Origin {
  /** Address for the fetcher's `connectTo`. */
  url: string
  /** `host/path` of every request, in order. */
  asked: string[]
  /** Connections so far. */
  connections: number
  /** Connections that are open now. */
  open: Set<Socket>
  close(): Promise<void>
}

export type Answer = (request: IncomingMessage, response: ServerResponse, path: string) => void

export function serveOrigin(answer: Answer): Promise<Origin> {
  return listen('http', http.createServer({ maxHeaderSize: 64 * 1024 }), answer)
}

export interface SecureOrigin extends Origin {
  caPem: string
  serverNames: string[]
}

/** Serves over TLS, with a certificate for each name that is asked for; `faults` names the broken ones. */
export async function serveSecureOrigin(
  faults: Record<string, TlsFault>,
  answer: Answer,
): Promise<SecureOrigin> {
  const authority = await createAuthority()
  const serverNames: string[] = []
  const server = https.createServer({
    ...authority.fallback,
    SNICallback(name, done) {
      serverNames.push(name)
      authority.contextFor(name, faults[name]).then(context => done(null, context), done)
    },
  })
  return Object.assign(await listen('https', server, answer), { caPem: authority.pem, serverNames })
}

async function listen(scheme: string, server: http.Server, answer: Answer): Promise<Origin> {
  const origin: Origin = {
    url: '',
    asked: [],
    connections: 0,
    open: new Set(),
    async close() {
      server.closeAllConnections()
      for (const socket of origin.open) socket.destroy()
      await new Promise(resolve => server.close(resolve))
    },
  }
  server.on('connection', (socket: Socket) => {
    origin.connections++
    origin.open.add(socket)
    socket.once('close', () => origin.open.delete(socket))
    socket.on('error', () => {})
  })
  server.on('request', (request, response) => {
    origin.asked.push(`${request.headers.host}${request.url}`)
    answer(request, response, request.url ?? '')
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  origin.url = `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}`
  return origin
}
