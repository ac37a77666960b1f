import { connect, type Socket } from 'node:net'
import { serveParent } from './child.ts'

export interface StreamTask {
  /** Opens this many more streams; without it, reports when each stream got its last page. */
  open?: number
}

export interface StreamReport {
  open: number
  /** Times at which streams got their first page since the last question, in ms since 1970. */
  pagesAt: number[]
}

const OPENED_AT_ONCE = 100

/** Holds streams of the feed open, each a plain socket, and records when pages arrive. */
const [, , url = '', token, cursor] = process.argv
const { hostname, port } = new URL(url)
const request =
  `GET /api/registry/feed/stream?cursor=${cursor}&poll_interval_seconds=15 HTTP/1.1\r\n` +
  `host: ${hostname}\r\nauthorization: Bearer ${token}\r\naccept: text/event-stream\r\n\r\n`
const sockets: Socket[] = []
let pagesAt = new Map<Socket, number>()

serveParent<StreamTask, StreamReport>({}, async ({ open = 0 }) => {
  for (let opened = 0; opened < open; opened += OPENED_AT_ONCE) {
    const count = Math.min(OPENED_AT_ONCE, open - opened)
    sockets.push(...(await Promise.all(Array.from({ length: count }, openStream))))
  }
  const report = { open: sockets.length, pagesAt: [...pagesAt.values()] }
  pagesAt = new Map()
  return report
})

/** Opens a stream; resolves with the first heartbeat, when it has read everything. */
function openStream(): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(request))
    socket.once('error', reject)
    socket.on('data', chunk => {
      const text = chunk.toString('latin1')
      if (text.includes('event: heartbeat')) resolve(socket)
      if (text.includes('event: feed') && !pagesAt.has(socket)) pagesAt.set(socket, Date.now())
      if (text.startsWith('HTTP/1.1 ') && !text.startsWith('HTTP/1.1 200')) reject(new Error(text))
    })
  })
}
