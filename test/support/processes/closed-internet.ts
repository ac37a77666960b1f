import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import { createServer, type Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import dns2 from 'dns2'
import { createAuthority } from '../../../scripts/world/certificates.ts'
import type { TlsFault } from '../../../scripts/world/site.ts'
import { buildGenerousLimits } from '../registry/generous-limits.ts'

/**
 * Task of a program that runs in its own network namespace, in which every address is this machine's, so
 * that it sees every connection. It serves names over a real name server and HTTPS on port 443, runs the
 * command line as a crawler would be run, and prints all traffic.
 */
export interface ClosedInternet {
  /** Answers of the name server by name, to the first query, the second, and so on. */
  names: Record<string, { A?: string[]; AAAA?: string[] }[]>
  faults: Record<string, TlsFault>
  /** Answer by `host/path`; 404 for all others. */
  pages: Record<string, { status: number; body?: string; location?: string }>
  domains: string[]
  dataDir: string
}

export interface Connection {
  /** Address and port of the server, and the name that the TLS handshake asked for. */
  address: string
  port: number
  name?: string
}

export interface ObservedTraffic {
  connections: Connection[]
  /** Every request, as `host/path`. */
  requested: string[]
}

const NAME_SERVER = { address: '127.0.0.53', port: 5353 }
const OTHER_PORTS = [80, 8080, 6379, 3000]

const [, program = '', task = ''] = process.argv
if (program.includes('closed-internet')) await serve(JSON.parse(task) as ClosedInternet)

async function serve(internet: ClosedInternet): Promise<void> {
  const connections: Connection[] = []
  const requested: string[] = []
  const caFile = `${internet.dataDir}/ca.pem`
  const closers = [
    await serveNames(internet),
    await serveHttps(internet, { connections, requested, caFile }),
    ...(await Promise.all(OTHER_PORTS.map(port => serveOther(port, connections)))),
  ]
  const file = `${internet.dataDir}/domains.txt`
  writeFileSync(file, internet.domains.join('\n'))
  mkdirSync(`${internet.dataDir}/data`)
  const crawl = spawn(process.execPath, ['dist/scripts/registry.js', 'crawl', '--domains', file], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      PATH: process.env.PATH,
      DATA_DIR: `${internet.dataDir}/data`,
      DNS_SERVER: `${NAME_SERVER.address}:${NAME_SERVER.port}`,
      CRAWL_CA_FILE: caFile,
      ...buildGenerousLimits(),
    },
  })
  const [status] = await once(crawl, 'close')
  if (status !== 0) throw new Error(`the crawl ended with ${status}`)
  for (const close of closers) close()
  const traffic: ObservedTraffic = { connections, requested }
  process.stdout.write(JSON.stringify(traffic), () => process.exit(0))
}

/** Serves names; each query of a name gets its next answer, and the last one repeats. */
async function serveNames({ names }: ClosedInternet): Promise<() => void> {
  const { TYPE, CLASS, RCODE } = dns2.Packet as typeof dns2.Packet & { RCODE: { NXDOMAIN: number } }
  const times = new Map<string, number>()
  const server = dns2.createServer({
    udp: true,
    handle(request, send) {
      const response = dns2.Packet.createResponseFromRequest(request)
      const { name, type } = request.questions[0]! as { name: string; type: number }
      const kind = type === TYPE.A ? 'A' : type === TYPE.AAAA ? 'AAAA' : undefined
      const answers = names[name.toLowerCase()]
      const time = times.get(`${name} ${kind}`) ?? 0
      times.set(`${name} ${kind}`, time + 1)
      if (answers === undefined) response.header.rcode = RCODE?.NXDOMAIN ?? 3
      const addresses = (kind && answers?.[Math.min(time, answers.length - 1)]?.[kind]) ?? []
      for (const address of addresses) {
        response.answers.push({ name, type, class: CLASS.IN, ttl: 0, address } as never)
      }
      void send(response)
    },
  })
  await server.listen({ udp: { ...NAME_SERVER, type: 'udp4' } as never })
  return () => void server.close()
}

interface TrafficRecorder {
  connections: Connection[]
  requested: string[]
  caFile: string
}

/** Serves HTTPS behind a plain socket, which shows the dialed address before anything else happens. */
async function serveHttps(
  { faults, pages }: ClosedInternet,
  { connections, requested, caFile }: TrafficRecorder,
): Promise<() => void> {
  const authority = await createAuthority()
  writeFileSync(caFile, authority.pem)
  const web = http.createServer((request, response) => {
    const place = `${request.headers.host}${request.url}`
    requested.push(place)
    const page = pages[place] ?? { status: 404 }
    response.writeHead(page.status, page.location ? { location: page.location } : {})
    response.end(page.body)
  })
  const server = createServer(socket => {
    const record = readAddress(socket)
    connections.push(record)
    const secure = new TLSSocket(socket, {
      isServer: true,
      ...authority.fallback,
      SNICallback(name, done) {
        record.name = name
        authority.contextFor(name, faults[name]).then(context => done(null, context), done)
      },
    })
    secure.on('error', () => undefined)
    secure.on('secure', () => web.emit('connection', secure))
  })
  server.listen(443, '::')
  await once(server, 'listening')
  return () => void server.close()
}

async function serveOther(port: number, connections: Connection[]): Promise<() => void> {
  const server = createServer(socket => {
    connections.push(readAddress(socket))
    socket.destroy()
  })
  server.listen(port, '::')
  await once(server, 'listening')
  return () => void server.close()
}

function readAddress(socket: Socket): Connection {
  return { address: socket.localAddress!.replace(/^::ffff:(?=\d+\.)/, ''), port: socket.localPort! }
}
