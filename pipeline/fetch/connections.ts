import { Client, type Dispatcher } from 'undici'
import type { Dial } from './connect.ts'
import { FailureError } from './failures.ts'

export type Handler = Dispatcher.DispatchHandler
export type Controller = Dispatcher.DispatchController
export type Request = Dispatcher.DispatchOptions

/** A connection to one origin, used by one request at a time. */
export interface Line {
  readonly origin: string
  readonly client: Client
  /** Checked addresses to dial; renewed each time the line is taken. */
  addresses: readonly [string, ...string[]]
  /** Counted under this address. */
  readonly address: string
  /** Has carried a request before: its end may have hung up unnoticed. */
  used: boolean
}

const HEADER_BYTES = 16 * 1024
const IDLE_MS = 4_000
const closed = new FailureError('connection_failed', 'the connection was closed')

/**
 * The connections that are open. A line that has been read to the end waits for the next request to
 * its origin: the second file of a domain costs no second handshake, and nobody has to announce that
 * it will come. At most `maxIdle` lines wait, the oldest gives way, so a night holds no
 * more of them than its first second; waiting lines count as load on their address.
 */
export class Connections {
  readonly #dial: Dial
  readonly #perAddress: number
  readonly #maxIdle: number
  readonly #open = new Set<Line>()
  readonly #idle = new Map<string, Line>()
  readonly #load = new Map<string, number>()

  constructor(dial: Dial, perAddress: number, maxIdle: number) {
    this.#dial = dial
    this.#perAddress = perAddress
    this.#maxIdle = maxIdle
  }

  take(url: URL, addresses: readonly [string, ...string[]]): Line {
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

  /** Back from a request whose answer was read to the end. */
  give(line: Line): void {
    if (!this.#open.has(line)) return
    const twin = this.#idle.get(line.origin)
    if (twin) this.drop(twin)
    line.used = true
    this.#idle.set(line.origin, line)
    if (this.#idle.size > this.#maxIdle) this.#dropOldest(() => true)
  }

  /** Back from a request that failed or was cut short. */
  drop(line: Line): void {
    if (!this.#open.delete(line)) return
    if (this.#idle.get(line.origin) === line) this.#idle.delete(line.origin)
    const load = (this.#load.get(line.address) ?? 1) - 1
    if (load > 0) this.#load.set(line.address, load)
    else this.#load.delete(line.address)
    // An error of our own spares undici making one, which costs more than closing.
    void line.client.destroy(closed)
  }

  close(): void {
    for (const line of this.#open) this.drop(line)
  }

  get size(): number {
    return this.#open.size
  }

  #openLine(url: URL, addresses: readonly [string, ...string[]]): Line {
    const address = addresses[0]
    const load = this.#load.get(address) ?? 0
    if (load >= this.#perAddress) this.#dropOldest(idle => idle.address === address)
    this.#load.set(address, (this.#load.get(address) ?? 0) + 1)
    const line: Line = {
      origin: url.origin,
      client: this.#clientOf(url, () => line.addresses),
      addresses,
      address,
      used: false,
    }
    this.#open.add(line)
    return line
  }

  #clientOf(url: URL, addresses: () => readonly string[]): Client {
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

  #dropOldest(matches: (line: Line) => boolean): void {
    for (const line of this.#idle.values()) if (matches(line)) return this.drop(line)
  }
}
