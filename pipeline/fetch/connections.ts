import { Client, type Dispatcher } from 'undici'
import type { Dial } from './connect.ts'
import { FailureError } from './failures.ts'

export type Handler = Dispatcher.DispatchHandler
export type Controller = Dispatcher.DispatchController
export type Request = Dispatcher.DispatchOptions

/** Connection to one origin, used by one request at a time. */
export interface PooledConnection {
  readonly origin: string
  readonly client: Client
  /** Checked addresses to connect to, updated whenever the connection is taken. */
  addresses: readonly [string, ...string[]]
  /** IP address that it was opened to, under which it is counted. */
  readonly address: string
  /** True if it carried a request before, so that the server may have closed it meanwhile. */
  used: boolean
}

/**
 * Bytes of response headers that are read. More than `exchange.ts` accepts: so the status of an answer whose
 * headers are too long is known.
 */
const HEADER_BYTES = 256 * 1024
const IDLE_MS = 4_000
const closed = new FailureError('connection_failed', 'the connection was closed')

/**
 * Keeps open connections. A connection whose response was read to the end waits for the next
 * request to its origin, so the second file of a domain costs no second handshake. At most
 * `maxIdle` connections are idle, and the oldest is closed first. Idle connections count towards
 * the limit of their address.
 */
export class Connections {
  readonly #dial: Dial
  readonly #perAddress: number
  readonly #maxIdle: number
  readonly #open = new Set<PooledConnection>()
  readonly #idle = new Map<string, PooledConnection>()
  readonly #load = new Map<string, number>()

  constructor(dial: Dial, perAddress: number, maxIdle: number) {
    this.#dial = dial
    this.#perAddress = perAddress
    this.#maxIdle = maxIdle
  }

  /**
   * Takes the idle connection to the origin of a URL, or opens one to the first of these addresses. An idle
   * connection to any other address is closed.
   */
  take(url: URL, addresses: readonly [string, ...string[]]): PooledConnection {
    const idle = this.#idle.get(url.origin)
    if (idle === undefined) return this.#openConnection(url, addresses)
    this.#idle.delete(url.origin)
    if (!addresses.includes(idle.address)) {
      this.drop(idle)
      return this.#openConnection(url, addresses)
    }
    idle.addresses = addresses
    return idle
  }

  /** Returns a connection after its response was read to the end. */
  release(connection: PooledConnection): void {
    if (!this.#open.has(connection)) return
    const idle = this.#idle.get(connection.origin)
    if (idle) this.drop(idle)
    connection.used = true
    this.#idle.set(connection.origin, connection)
    if (this.#idle.size > this.#maxIdle) this.#dropOldest(() => true)
  }

  /** Drops the connection of a request that failed or was aborted. */
  drop(connection: PooledConnection): void {
    if (!this.#open.delete(connection)) return
    if (this.#idle.get(connection.origin) === connection) this.#idle.delete(connection.origin)
    const load = (this.#load.get(connection.address) ?? 1) - 1
    if (load > 0) this.#load.set(connection.address, load)
    else this.#load.delete(connection.address)
    // Passing our own error saves undici creating one, which costs more than closing.
    void connection.client.destroy(closed)
  }

  /** Closes all connections, those in use too. */
  close(): void {
    for (const connection of this.#open) this.drop(connection)
  }

  get size(): number {
    return this.#open.size
  }

  #openConnection(url: URL, addresses: readonly [string, ...string[]]): PooledConnection {
    const address = addresses[0]
    const load = this.#load.get(address) ?? 0
    if (load >= this.#perAddress) this.#dropOldest(other => other.address === address)
    this.#load.set(address, (this.#load.get(address) ?? 0) + 1)
    const connection: PooledConnection = {
      origin: url.origin,
      client: this.#createClient(url, () => connection.addresses),
      addresses,
      address,
      used: false,
    }
    this.#open.add(connection)
    return connection
  }

  #createClient(url: URL, addresses: () => readonly string[]): Client {
    const secure = url.protocol === 'https:'
    const hostname = url.hostname.replace(/^\[(.*)\]$/, '$1')
    const port = Number(url.port) || (secure ? 443 : 80)
    return new Client(url.origin, {
      connect: (_, done) => this.#dial({ secure, hostname, port, addresses: addresses() }, done),
      // HTTP/1.1 alone: limits count connections, and each of them carries one request at a time.
      allowH2: false,
      maxHeaderSize: HEADER_BYTES,
      keepAliveTimeout: IDLE_MS,
      keepAliveMaxTimeout: IDLE_MS,
      // `Exchange` has one timer for the whole response.
      headersTimeout: 0,
      bodyTimeout: 0,
    })
  }

  #dropOldest(matches: (connection: PooledConnection) => boolean): void {
    for (const connection of this.#idle.values())
      if (matches(connection)) return this.drop(connection)
  }
}
