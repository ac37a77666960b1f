import { requireValue } from '../core/present.ts'
import { type BodyReader, decodeHead, openBody, type PieceReader } from './body.ts'
import type { Controller, Handler, PooledConnection, Request } from './connections.ts'
import { classifyError, type Failure, FailureError, longHeaders, timedOut } from './failures.ts'

/** Response headers; a repeated header is a list. */
export type Headers = Record<string, string | string[] | undefined>

/** Reads the first value of a header that should occur once. */
export function readHeader(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header
}

/** A response that was read as far as needed. */
export interface CompleteExchange {
  kind: 'answer'
  status: number
  headers: Headers
  /** Whole and decoded for a 200; the first bytes, or none, for any other status. */
  body: Buffer
  /** True if it was read to the end, so that the connection can carry another request. */
  complete: boolean
}

/** An exchange without a usable response; `status` if at least the headers arrived. */
export interface BrokenExchange extends Failure {
  kind: 'broken'
  status: number | undefined
}

export type Exchanged = CompleteExchange | BrokenExchange

/** Options for reading an answer. */
export interface ReadOptions {
  maxBytes: number
  /** Chooses by the headers of a 200 whether its body is streamed to a reader. */
  onPiece?: (headers: Headers) => PieceReader | undefined
  /** True where a part of the file was asked for: a 206 is read like a 200. */
  takesPart?: boolean
  /** True to return the first 4 KiB of the body for every status other than 200, not for 403 alone. */
  wantsErrorBody?: boolean
}

/**
 * Bytes of an unwanted body that are still read, because the connection can be reused after its end. A longer
 * one is cut off with its connection.
 */
const DISCARDED_BYTES_MAX = 16 * 1024
const ERROR_HEAD_BYTES = 4 * 1024
/** Names and values of the headers of an answer, in bytes. */
const HEADER_BYTES_MAX = 64 * 1024
const nothing = Buffer.alloc(0)
/** Aborts a request of which enough was read; undici wants an error. */
const readEnough = new FailureError('connection_failed', 'read no further')

/**
 * Sends one request over a connection and reads its response. Uses undici's callbacks instead of
 * its streams, so a small response allocates few objects. One timer covers everything from
 * connecting to the last byte, so a server gains nothing by sending slowly.
 */
export function exchange(
  connection: PooledConnection,
  request: Request,
  reading: ReadOptions,
  budgetMs: number,
  signal?: AbortSignal,
): Promise<Exchanged> {
  return new Promise(resolve => {
    const running = new Exchange(reading, budgetMs, result => {
      signal?.removeEventListener('abort', stop)
      resolve(result)
    })
    const stop = () => expire(running)
    signal?.addEventListener('abort', stop)
    connection.client.dispatch(request, running)
  })
}

/** Handler of undici for one request; resolves with the first of answer, failure and timeout. */
class Exchange implements Handler {
  readonly #reading: ReadOptions
  readonly #resolve: (result: Exchanged) => void
  readonly #timer: NodeJS.Timeout
  #controller: Controller | undefined
  #body: BodyReader | undefined
  #status: number | undefined
  #headers: Headers = {}
  #discarded: Buffer[] = []
  #discardedBytes = 0
  #ended = false
  #settled = false

  constructor(reading: ReadOptions, budgetMs: number, resolve: (result: Exchanged) => void) {
    this.#reading = reading
    this.#resolve = resolve
    this.#timer = setTimeout(expire, budgetMs, this)
  }

  onRequestStart(controller: Controller): void {
    this.#controller = controller
    if (this.#settled) controller.abort(readEnough)
  }

  onResponseStart(_: Controller, status: number, headers: Headers): void {
    if (status < 200 || this.#settled) return
    this.#status = status
    this.#headers = headers
    if (measureHeaders(headers) > HEADER_BYTES_MAX) return this.#failWith(longHeaders)
    if (status !== 200 && !(status === 206 && this.#reading.takesPart)) return
    const length = Number(headers['content-length'] ?? 0)
    const { maxBytes, onPiece } = this.#reading
    const done = (result: Buffer | Failure) => {
      if (Buffer.isBuffer(result)) this.#answer(result)
      else this.#failWith(result)
    }
    const body = openBody(headers['content-encoding'], length, maxBytes, done, onPiece?.(headers))
    if ('outcome' in body) this.#failWith(body)
    else this.#body = body
  }

  onResponseData(controller: Controller, chunk: Buffer): void {
    if (this.#settled) return
    if (this.#body) return this.#body.write(chunk, controller)
    this.#discarded.push(chunk)
    this.#discardedBytes += chunk.length
    if (this.#discardedBytes > DISCARDED_BYTES_MAX) this.#answerWithHead()
  }

  onResponseEnd(): void {
    this.#ended = true
    if (this.#body) this.#body.end()
    else this.#answerWithHead()
  }

  onResponseError(_: Controller | undefined, error: Error): void {
    this.#ended = true
    if (!this.#settled) this.fail(classifyError(error))
  }

  /** Ends the exchange with a failure, unless the status needs no body and so is an answer by itself. */
  fail(failure: Failure): void {
    if (this.#status !== undefined && this.#status !== 200 && !this.#body)
      this.#answerWithHead(false)
    else this.#failWith(failure)
  }

  /** Answers with the beginning of the body, where it is wanted, or with none. */
  #answerWithHead(complete = this.#ended): void {
    const wanted = this.#status === 403 || this.#reading.wantsErrorBody === true
    const discarded = wanted ? Buffer.concat(this.#discarded) : nothing
    const coding = this.#headers['content-encoding']
    this.#answer(wanted ? decodeHead(discarded, coding, ERROR_HEAD_BYTES) : discarded, complete)
  }

  #answer(body: Buffer, complete = this.#ended): void {
    if (!this.#settle()) return
    const status = requireValue(this.#status, 'status')
    const headers = this.#headers
    this.#resolve({ kind: 'answer', status, headers, body, complete })
  }

  #failWith(failure: Failure): void {
    if (!this.#settle()) return
    const { outcome, detail, fault } = failure
    this.#resolve({ kind: 'broken', outcome, detail, fault, status: this.#status })
  }

  /** Ends the exchange once, and frees what it holds; false if it has ended before. */
  #settle(): boolean {
    if (this.#settled) return false
    this.#settled = true
    clearTimeout(this.#timer)
    this.#body?.stop()
    this.#discarded = []
    if (!this.#ended) this.#controller?.abort(readEnough)
    return true
  }
}

function measureHeaders(headers: Headers): number {
  let bytes = 0
  for (const name in headers) {
    const value = headers[name] ?? ''
    if (typeof value === 'string') bytes += name.length + value.length
    else for (const each of value) bytes += name.length + each.length
  }
  return bytes
}

function expire(exchange: Exchange): void {
  exchange.fail(timedOut)
}
