import { writeFile } from 'node:fs/promises'
import { createServer, type RequestListener, type Server } from 'node:http'
import { createServer as createSecureServer, type ServerOptions } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { type Authority, createAuthority } from './certificates.ts'
import { type AgentBehind, findForwarded, isForReceiver, passOn, passToAgent } from './forward.ts'
import { readBody } from './read-body.ts'
import { send } from './send.ts'
import { notFound, type World } from './site.ts'

export type ServeOptions = {
  /** Port to listen on; 0, the default, takes a free one. */
  port?: number
  host?: string
  tls?: boolean
  /** File for the authority's certificate, to be passed as NODE_EXTRA_CA_CERTS or the like. */
  caFile?: string
  /** Answers for the agents that are its tenants; without it they answer as made up here. */
  agent?: AgentBehind
  /** Origin that gets the webhooks for somebody who tries the demo; without one they are not found. */
  receiver?: string
}

export type ServedWorld = {
  url: string
  port: number
  /** Certificate that clients have to trust; only with TLS. */
  caPem?: string
  /** Number of requests by `host/path`. */
  requests: ReadonlyMap<string, number>
  /** Closes the server, hanging answers included; resolves when no connection is left. */
  close(): Promise<void>
}

/** Longer than clients keep a connection, so that none is closed while it is being used again. */
const keepAliveMs = 60_000

/**
 * Serves all hosts of the world on one port; the Host header, and with TLS the server name, tells
 * them apart.
 */
export async function serveWorld(world: World, options: ServeOptions = {}): Promise<ServedWorld> {
  const host = options.host ?? '127.0.0.1'
  const requests = new Map<string, number>()
  const authority = options.tls === true ? await createAuthority(world.domains) : undefined
  const listener = createListener(world, requests, options)
  const server =
    authority === undefined ? createServer(listener) : createTlsServer(world, authority, listener)
  server.keepAliveTimeout = keepAliveMs
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  const port = await listen(server, options.port ?? 0, host)
  if (authority !== undefined && options.caFile !== undefined) {
    await writeFile(options.caFile, authority.pem)
  }
  return {
    url: `${authority === undefined ? 'http' : 'https'}://${host}:${port}`,
    port,
    requests,
    close: () => close(server, sockets),
    ...(authority === undefined ? {} : { caPem: authority.pem }),
  }
}

function createListener(
  world: World,
  requests: Map<string, number>,
  { agent, receiver }: ServeOptions,
): RequestListener {
  return (request, response) => {
    const host = parseHost(request.headers.host)
    const path = parsePath(request.url)
    const counted = host + path
    requests.set(counted, (requests.get(counted) ?? 0) + 1)
    const forwarded = agent && findForwarded(host, path)
    if (forwarded) return passToAgent(forwarded, agent, request, response)
    if (receiver && isForReceiver(host, path))
      return passOn(new URL(request.url ?? '/', receiver).href, request, response)
    const site = world.sites.get(host)
    if (site === undefined) return send(notFound, request, response)
    const ask = { method: request.method ?? 'GET', path, headers: request.headers, body: '' }
    if (ask.method !== 'POST') return send(site.answer(ask), request, response)
    readBody(request).then(
      body => send(site.answer({ ...ask, body }), request, response),
      () => response.destroy(),
    )
  }
}

function createTlsServer(world: World, authority: Authority, listener: RequestListener): Server {
  const SNICallback: ServerOptions['SNICallback'] = (name, done) => {
    const host = name.toLowerCase()
    const fault = world.sites.get(host)?.tls
    if (fault === 'reset') return done(new Error('This host breaks off its handshakes'))
    authority.contextFor(host, fault).then(context => done(null, context), done)
  }
  return createSecureServer({ ...authority.fallback, SNICallback }, listener)
}

function parseHost(header: string | undefined): string {
  return (header ?? '').replace(/:\d+$/, '').toLowerCase()
}

function parsePath(url: string | undefined): string {
  const target = url ?? '/'
  const query = target.indexOf('?')
  return query < 0 ? target : target.slice(0, query)
}

function listen(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => resolve((server.address() as AddressInfo).port))
  })
}

function close(server: Server, sockets: ReadonlySet<Socket>): Promise<void> {
  return new Promise(resolve => {
    server.close(() => resolve())
    server.closeAllConnections()
    // A TLS handshake under way is not yet one of the server's connections.
    for (const socket of sockets) socket.destroy()
  })
}
