import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { getOrThrow } from '../../pipeline/core/present.ts'
import type { BoundedLog } from './bounded-log.ts'
import { toCaller } from './caller.ts'

/** Files that the process opens itself: stores, threads, Redis, and files that replace them. */
const OWN_FILES = 200
const CONNECTIONS_MIN = 16
/** Share of the connections that is closed together, so that the search for idle ones runs rarely. */
const CLOSED_SHARE = 1 / 32

/**
 * Maximum number of file descriptors of this process; read once, since producing the report takes
 * milliseconds.
 */
let openFilesMax: number | undefined

interface OpenConnection {
  socket: Socket
  address: string
  /** Requests that are being answered. */
  answering: number
  /** Time at which the last answer ended, in milliseconds of `performance.now()`. */
  idleSince: number
}

/** Computes how many connections the process can have beside its own files: at most `wanted`. */
export function computeConnectionsMax(wanted: number): number {
  openFilesMax ??= readOpenFilesLimit()
  return Math.max(CONNECTIONS_MIN, Math.min(wanted, openFilesMax - OWN_FILES))
}

function readOpenFilesLimit(): number {
  // Otherwise the report would look up the host names of all peers.
  Object.assign(process.report, { excludeNetwork: true })
  const { userLimits } = process.report.getReport() as {
    userLimits?: { open_files?: { soft: number | 'unlimited' } }
  }
  const soft = userLimits?.open_files?.soft
  return typeof soft === 'number' ? soft : Number.POSITIVE_INFINITY
}

/**
 * Limits the connections of a server, since a process without free file descriptors cannot open stores. Above
 * the limit, idle connections are closed: those of the address with the most connections first, the longest
 * idle first. If none is idle, the oldest of the address with the most connections gives way to an address with fewer;
 * else the new connection is refused.
 */
export class Connections {
  readonly #max: number
  readonly #log: BoundedLog
  readonly #refuse: (socket: Socket) => void
  readonly #open = new Map<Socket, OpenConnection>()

  /** Allows `max` connections; `refuse` ends one that is too many. */
  constructor(max: number, log: BoundedLog, refuse: (socket: Socket) => void) {
    this.#max = max
    this.#log = log
    this.#refuse = refuse
  }

  get count(): number {
    return this.#open.size
  }

  watch(server: Server): void {
    server.on('connection', socket => this.#accept(socket))
    server.prependListener('request', (request, response) => this.#follow(request, response))
  }

  /** Closes idle connections; the others close with their answers, or after a timeout. */
  drain(withinMs: number): void {
    for (const { socket, answering } of this.#open.values()) if (answering === 0) socket.destroy()
    setTimeout(() => {
      for (const { socket } of this.#open.values()) socket.destroy()
    }, withinMs).unref()
  }

  #accept(socket: Socket): void {
    const address = toCaller(socket.remoteAddress ?? '')
    const isFull = this.#open.size >= this.#max
    if (isFull && this.#closeIdle() === 0 && !this.#closeBusy(address)) {
      const connections = this.#open.size
      this.#log.warn('connections', { connections }, 'connection refused: all connections are busy')
      this.#refuse(socket)
      return
    }
    this.#open.set(socket, { socket, address, answering: 0, idleSince: performance.now() })
    socket.once('close', () => this.#open.delete(socket))
  }

  #follow({ socket }: IncomingMessage, response: ServerResponse): void {
    const connection = this.#open.get(socket)
    if (connection === undefined) return
    connection.answering++
    response.once('close', () => {
      connection.answering--
      connection.idleSince = performance.now()
    })
  }

  /** Closes some idle connections and returns how many; 0 if every connection is busy. */
  #closeIdle(): number {
    const counts = this.#countByAddress()
    const idle = [...this.#open.values()].filter(({ answering }) => answering === 0)
    idle.sort(
      (a, b) =>
        getOrThrow(counts, b.address) - getOrThrow(counts, a.address) || a.idleSince - b.idleSince,
    )
    const closed = idle.slice(0, Math.ceil(this.#max * CLOSED_SHARE))
    for (const { socket } of closed) {
      this.#open.delete(socket)
      socket.destroy()
    }
    const connections = this.#open.size
    if (closed.length > 0) {
      this.#log.warn('idle', { connections, closed: closed.length }, 'too many connections')
    }
    return closed.length
  }

  /** Closes a busy connection of the address with the most, if that has more than `newcomer` will have; true if it has. */
  #closeBusy(newcomer: string): boolean {
    const counts = this.#countByAddress()
    const [largest = '', most = 0] = [...counts].reduce((a, b) => (b[1] > a[1] ? b : a), ['', 0])
    if (most <= (counts.get(newcomer) ?? 0) + 1) return false
    for (const { socket, address } of this.#open.values()) {
      if (address !== largest) continue
      this.#open.delete(socket)
      socket.destroy()
      this.#log.warn('busy', { connections: most }, 'an address has too many busy connections')
      return true
    }
    return false
  }

  #countByAddress(): Map<string, number> {
    const counts = new Map<string, number>()
    for (const { address } of this.#open.values()) {
      counts.set(address, (counts.get(address) ?? 0) + 1)
    }
    return counts
  }
}
