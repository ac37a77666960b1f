import { createServer, type IncomingMessage } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { serveParent } from './child.ts'

export interface PushTask {
  /** Opens so many streams, or closes all where it is 0. */
  streams?: number
  /** Waits until so many readers have the event of this id. */
  until?: string
  readers?: number
}

export interface PushReport {
  /** Time at which the last of them had it, in ms since 1970. */
  lastAt: number
}

const OPENED_AT_ONCE = 100
/** Characters of the end of a chunk that a cut id may begin in. */
const ID_CHARS = 36

/** Reads the feed by streams, each a plain socket, and receives deliveries for every host, in this process. */
const [, , url = '', token, cursor] = process.argv
const { hostname, port } = new URL(url)
const request =
  `GET /api/registry/feed/stream?cursor=${cursor}&limit=500&poll_interval_seconds=60 HTTP/1.1\r\n` +
  `host: ${hostname}\r\nauthorization: Bearer ${token}\r\naccept: text/event-stream\r\n\r\n`
let sockets: Socket[] = []
/** Last parts of what each reader got, in which an id is looked for. */
const tails = new Map<unknown, string>()
const having = new Set<unknown>()
let wanted: { id: string; readers: number; reached: (at: number) => void } | undefined

const server = createServer((message, answer) => {
  const { host = '' } = message.headers
  if (host.startsWith('dead')) return
  receive(message).then(tail => {
    answer.writeHead(200).end()
    note(host, tail)
  })
})
server.keepAliveTimeout = 60_000
await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
const receivers = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

serveParent<PushTask, PushReport>({ url: receivers }, async ({ streams, until, readers = 0 }) => {
  if (streams === 0) for (const socket of sockets.splice(0)) socket.destroy()
  for (let opened = 0; opened < (streams ?? 0); opened += OPENED_AT_ONCE) {
    const count = Math.min(OPENED_AT_ONCE, (streams ?? 0) - opened)
    sockets = [...sockets, ...(await Promise.all(Array.from({ length: count }, openStream)))]
  }
  return { lastAt: until === undefined ? Date.now() : await waitForAll(until, readers) }
})

/** Reads a delivery; returns its last bytes, in which the cursor stands. */
async function receive(message: IncomingMessage): Promise<string> {
  let tail = Buffer.alloc(0)
  for await (const chunk of message) tail = Buffer.concat([tail, chunk]).subarray(-1_000)
  return tail.toString('latin1')
}

/** Waits until so many readers have an event; what came before the question counts too. */
function waitForAll(id: string, readers: number): Promise<number> {
  having.clear()
  return new Promise(resolve => {
    wanted = { id, readers, reached: resolve }
    for (const [reader, tail] of tails) note(reader, tail)
  })
}

function note(reader: unknown, tail: string): void {
  tails.set(reader, tail)
  if (wanted === undefined || having.has(reader) || !tail.includes(wanted.id)) return
  having.add(reader)
  if (having.size === wanted.readers) wanted.reached(Date.now())
}

/** Opens a stream; resolves with the first heartbeat, when it has read everything. */
function openStream(): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(request))
    socket.once('error', reject)
    socket.on('data', chunk => {
      const end = chunk.toString('latin1', Math.max(0, chunk.length - 1_000))
      const tail = `${(tails.get(socket) ?? '').slice(-ID_CHARS)}${end}`
      if (tail.includes('event: heartbeat')) resolve(socket)
      note(socket, tail)
    })
    socket.once('close', () => tails.delete(socket))
  })
}
