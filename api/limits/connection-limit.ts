import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { BoundedLog } from '../operation/bounded-log.ts'
import { refuseConnection } from '../operation/malformed-requests.ts'

/** Files that the process opens itself: stores, threads, Redis, and files that replace them. */
const OWN_FILES = 200
const CONNECTIONS_MIN = 16
/** Share of the connections that is closed at once, so that looking for idle ones stays cheap. */
const SHARE_LET_GO = 1 / 32

/** Files that the process may open: asked once, as the report that says so takes milliseconds. */
let openFilesMax: number | undefined

interface Held {
  socket: Socket
  address: string
  /** Requests that are being answered. */
  answering: number
  idleSince: number
}

/** Computes how many connections the process can hold beside its own files. */
export function countConnections(most: number): number {
  openFilesMax ??= readOpenFilesLimit()
  return Math.max(CONNECTIONS_MIN, Math.min(most, openFilesMax - OWN_FILES))
}

function readOpenFilesLimit(): number {
  // It would look up names of peers.
  Object.assign(process.report, { excludeNetwork: true })
  const { userLimits } = process.report.getReport() as {
    userLimits?: { open_files?: { soft: number | 'unlimited' } }
  }
  const soft = userLimits?.open_files?.soft
  return typeof soft === 'number' ? soft : Number.POSITIVE_INFINITY
}

/**
 * Limits the connections of a server, since a process without free file descriptors can open no store.
 * Above the limit idle connections are closed, first of the address with the most, the longest idle first;
 * without any, the new one is refused.
 */
export class Connections {
  readonly #most: number
  readonly #log: BoundedLog
  readonly #held = new Map<Socket, Held>()

  constructor(most: number, log: BoundedLog) {
    this.#most = most
    this.#log = log
  }

  get count(): number {
    return this.#held.size
  }

  watch(server: Server): void {
    server.on('connection', socket => this.#take(socket))
    server.prependListener('request', (request, response) => this.#follow(request, response))
  }

  /** Closes idle connections; the others close with their answers, or after a timeout. */
  drain(withinMs: number): void {
    for (const { socket, answering } of this.#held.values()) if (answering === 0) socket.destroy()
    setTimeout(() => {
      for (const { socket } of this.#held.values()) socket.destroy()
    }, withinMs).unref()
  }

  #take(socket: Socket): void {
    if (this.#held.size >= this.#most && this.#letGo() === 0) {
      const connections = this.#held.size
      this.#log.warn('connections', { connections }, 'connection refused: all connections are busy')
      refuseConnection(socket)
      return
    }
    const address = socket.remoteAddress ?? ''
    this.#held.set(socket, { socket, address, answering: 0, idleSince: performance.now() })
    socket.once('close', () => this.#held.delete(socket))
  }

  #follow({ socket }: IncomingMessage, response: ServerResponse): void {
    const held = this.#held.get(socket)
    if (held === undefined) return
    held.answering++
    response.once('close', () => {
      held.answering--
      held.idleSince = performance.now()
    })
  }

  /** Closes idle connections and returns how many. */
  #letGo(): number {
    const counts = new Map<string, number>()
    for (const { address } of this.#held.values()) {
      counts.set(address, (counts.get(address) ?? 0) + 1)
    }
    const idle = [...this.#held.values()].filter(({ answering }) => answering === 0)
    idle.sort(
      (a, b) => counts.get(b.address)! - counts.get(a.address)! || a.idleSince - b.idleSince,
    )
    const gone = idle.slice(0, Math.ceil(this.#most * SHARE_LET_GO))
    for (const { socket } of gone) {
      this.#held.delete(socket)
      socket.destroy()
    }
    const connections = this.#held.size
    if (gone.length > 0) {
      this.#log.warn('idle', { connections, closed: gone.length }, 'too many connections')
    }
    return gone.length
  }
}
