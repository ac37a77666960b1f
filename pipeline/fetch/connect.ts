import net from 'node:net'
import tls from 'node:tls'
import { readCertificates } from '../core/keys/certificates.ts'
import { getAt, requireValue } from '../core/present.ts'
import { classifyDialError, FailureError } from './failures.ts'

export interface DialOptions {
  /** `http(s)://HOST:PORT` to connect to instead of any address; names and checks stay the same. */
  connectTo?: string | undefined
  /** PEM file of a certificate authority that is trusted besides the default ones. */
  caFile?: string | undefined
  connectMs: number
}

export interface Target {
  secure: boolean
  hostname: string
  port: number
  /** Checked addresses, the preferred one first. */
  addresses: readonly string[]
}

export type ConnectCallback = (...result: [null, net.Socket] | [Error, null]) => void
export type Dial = (target: Target, done: ConnectCallback) => void

/**
 * Connects to checked addresses only, never to a name; the certificate is checked against the name.
 * When an address refuses the connection the next one is tried; one that does not answer uses up
 * the timeout.
 */
export function createDial({ connectTo, caFile, connectMs }: DialOptions): Dial {
  // One context for all connections, since loading the certificate authorities is slow.
  const context = tls.createSecureContext(
    caFile === undefined
      ? {}
      : { ca: [...tls.rootCertificates, readCertificates('CRAWL_CA_FILE', caFile)] },
  )
  const override = connectTo === undefined ? undefined : new URL(connectTo)
  return (target, done) =>
    new Attempt(context, override ? redirectTarget(target, override) : target, done).start(
      connectMs,
    )
}

function redirectTarget(target: Target, instead: URL): Target {
  const secure = instead.protocol === 'https:'
  const address = instead.hostname.replace(/^\[(.*)\]$/, '$1')
  const port = Number(instead.port) || (secure ? 443 : 80)
  return { secure, hostname: target.hostname, port, addresses: [address] }
}

class Attempt {
  readonly #context: tls.SecureContext
  readonly #target: Target
  readonly #done: ConnectCallback
  #timer: NodeJS.Timeout | undefined
  #socket: net.Socket | undefined
  #tried = 0
  #settled = false

  constructor(context: tls.SecureContext, target: Target, done: ConnectCallback) {
    this.#context = context
    this.#target = target
    this.#done = done
  }

  start(connectMs: number): void {
    this.#timer = setTimeout(() => {
      this.#settle(new FailureError('timeout', 'no connection in time'))
    }, connectMs)
    this.#dialNext()
  }

  #dialNext(): void {
    const { secure, addresses } = this.#target
    const address = getAt(addresses, this.#tried++)
    const socket = secure ? this.#openTls(address) : this.#openTcp(address)
    this.#socket = socket
    let reached = false
    if (secure) socket.once('connect', () => (reached = true))
    socket.once(secure ? 'secureConnect' : 'connect', () => this.#settle(undefined))
    // Stays attached for the lifetime of the socket, so that no late error is unhandled.
    socket.on('error', error => {
      if (this.#settled) return
      if (!reached && this.#tried < addresses.length) this.#dialNext()
      else this.#settle(classifyDialError(error, reached))
    })
  }

  #openTcp(address: string): net.Socket {
    return net.connect({ host: address, port: this.#target.port })
  }

  #openTls(address: string): net.Socket {
    const { hostname, port } = this.#target
    return tls.connect({
      host: address,
      port,
      servername: net.isIP(hostname) ? '' : hostname,
      checkServerIdentity: (_, certificate) => tls.checkServerIdentity(hostname, certificate),
      secureContext: this.#context,
      ALPNProtocols: ['http/1.1'],
    })
  }

  #settle(error: FailureError | undefined): void {
    if (this.#settled) return
    this.#settled = true
    clearTimeout(this.#timer)
    if (error === undefined) return this.#done(null, requireValue(this.#socket, 'connection'))
    this.#socket?.destroy()
    this.#done(error, null)
  }
}
