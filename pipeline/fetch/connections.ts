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
  /** Address under which it is counted. */
  readonly address: string
  /** True if it was used before, so the server may have closed it in the meantime. */
  used: boolean
}

const HEADER_BYTES = 16 * 1024
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

  take(url: URL, addresses: readonly [string, ...string[]]): PooledConnection {
    const waiting = this.#idle.get(url.origin)
    if (waiting === undefined) return this.#openLine(url, addresses)
    this.#idle.delete(url.origin)
    if (!addresses.includes(waiting.address)) {
      this.drop(waiting)
      return this.#openLine(url, addresses)
    }
    waiting.addresses = addresses
    return waiting
  }

  /** Returns a connection after its response was read to the end. */
  release(line: PooledConnection): void {
    if (!this.#open.has(line)) return
    const idle = this.#idle.get(line.origin)
    if (idle) this.drop(idle)
    line.used = true
    this.#idle.set(line.origin, line)
    if (this.#idle.size > this.#maxIdle) this.#dropOldest(() => true)
  }

  /** Drops the connection of a request that failed or was aborted. */
  drop(line: PooledConnection): void {
    if (!this.#open.delete(line)) return
    if (this.#idle.get(line.origin) === line) this.#idle.delete(line.origin)
    const load = (this.#load.get(line.address) ?? 1) - 1
    if (load > 0) this.#load.set(line.address, load)
    else this.#load.delete(line.address)
    // Passing our own error saves undici creating one, which costs more than closing.
    void line.client.destroy(closed)
  }

  close(): void {
    for (const line of this.#open) this.drop(line)
  }

  get size(): number {
    return this.#open.size
  }

  #openLine(url: URL, addresses: readonly [string, ...string[]]): PooledConnection {
    const address = addresses[0]
    const load = this.#load.get(address) ?? 0
    if (load >= this.#perAddress) this.#dropOldest(idle => idle.address === address)
    this.#load.set(address, (this.#load.get(address) ?? 0) + 1)
    const line: PooledConnection = {
      origin: url.origin,
      client: this.#createClient(url, () => line.addresses),
      addresses,
      address,
      used: false,
    }
    this.#open.add(line)
    return line
  }

  #createClient(url: URL, addresses: () => readonly string[]): Client {
    const secure = url.protocol === 'https:'
    const hostname = url.hostname.replace(/^\[(.*)\]$/, '$1')
    const port = Number(url.port) || (secure ? 443 : 80)
    return new Client(url.origin, {
      connect: (_, done) => this.#dial({ secure, hostname, port, addresses: addresses() }, done),
      maxHeaderSize: HEADER_BYTES,
      keepAliveTimeout: IDLE_MS,
      keepAliveMaxTimeout: IDLE_MS,
      // The exchange keeps one time for the whole answer.
      headersTimeout: 0,
      bodyTimeout: 0,
    })
  }

  #dropOldest(matches: (line: PooledConnection) => boolean): void {
    for (const line of this.#idle.values()) if (matches(line)) return this.drop(line)
  }
}
