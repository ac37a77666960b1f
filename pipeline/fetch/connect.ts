import { readFileSync } from 'node:fs'
import net from 'node:net'
import tls from 'node:tls'
import { dialFailureOf, FailureError } from './failures.ts'

export interface DialOptions {
  /** `http(s)://HOST:PORT` that stands in for every address; names and checks stay. */
  connectTo?: string
  /** PEM file of an authority to trust besides the usual ones. */
  caFile?: string
  connectMs: number
}

export interface Target {
  secure: boolean
  hostname: string
  port: number
  /** Checked addresses, the preferred one first. */
  addresses: readonly string[]
}

export type Connected = (...result: [null, net.Socket] | [Error, null]) => void
export type Dial = (target: Target, done: Connected) => void

/**
 * Connects to a checked address, never to a name. The name is what the certificate must carry. An
 * address that refuses gives way to the next one; one that is silent uses up the time.
 */
export function createDial({ connectTo, caFile, connectMs }: DialOptions): Dial {
  // One context for all connections: reading the authorities is what costs.
  const context = tls.createSecureContext(
    caFile === undefined ? {} : { ca: [...tls.rootCertificates, readFileSync(caFile, 'utf8')] },
  )
  const instead = connectTo === undefined ? undefined : new URL(connectTo)
  return (target, done) => new Attempt(context, instead ? divert(target, instead) : target, done).start(connectMs)
}

function divert(target: Target, instead: URL): Target {
  const secure = instead.protocol === 'https:'
  const address = instead.hostname.replace(/^\[(.*)\]$/, '$1')
  const port = Number(instead.port) || (secure ? 443 : 80)
  return { secure, hostname: target.hostname, port, addresses: [address] }
}

class Attempt {
  readonly #context: tls.SecureContext
  readonly #target: Target
  readonly #done: Connected
  #timer: NodeJS.Timeout | undefined
  #next = 0
  #settled = false

  constructor(context: tls.SecureContext, target: Target, done: Connected) {
    this.#context = context
    this.#target = target
    this.#done = done
  }

  start(connectMs: number): void {
    const socket = this.#dialNext()
    this.#timer = setTimeout(() => this.#fail(new FailureError('timeout', 'no connection in time')), connectMs)
    void socket
  }

  #dialNext(): void {}
  #fail(_error: FailureError): void {}
}
