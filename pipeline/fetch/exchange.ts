import { type BodyReader, decodeHead, openBody, type PieceReader } from './body.ts'
import type { Controller, Handler, PooledConnection, Request } from './connections.ts'
import { classifyError, type Failure, FailureError, timedOut } from './failures.ts'

/** Response headers; a repeated header is a list. */
export type Headers = Record<string, string | string[] | undefined>

export function readHeader(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header
}

export interface Answer {
  kind: 'answer'
  status: number
  headers: Headers
  /** Whole and decoded for a 200; the first bytes, or none, for any other status. */
  body: Buffer
  /** Read to the end: the connection can carry another request. */
  complete: boolean
}

export interface BrokenExchange extends Failure {
  kind: 'broken'
  status: number | undefined
}

export type Exchanged = Answer | BrokenExchange

/** Options for reading an answer. */
export interface Reading {
  maxBytes: number
  /** Chooses by the headers of a 200 whether its body is streamed to a reader. */
  onPiece?: (headers: Headers) => PieceReader | undefined
  /** True when the first bytes of an error body are wanted. */
  wantsErrorBody?: boolean
}

/** Bytes of an unwanted body that are read and discarded to keep its connection open. */
const DISCARDED_BYTES_MAX = 16 * 1024
const HEAD_BYTES = 4 * 1024
const nothing = Buffer.alloc(0)
const readEnough = new FailureError('connection_failed', 'read no further')

/**
 * Sends one request over a connection and reads its response. Uses undici's callbacks instead of
 * its streams, so a small response allocates few objects. One timer covers everything from
 * connecting to the last byte, so a server gains nothing by sending slowly.
 */
export function exchange(
  line: PooledConnection,
  request: Request,
  reading: Reading,
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
    line.client.dispatch(request, running)
  })
}

class Exchange implements Handler {
  readonly #reading: Reading
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

  constructor(reading: Reading, budgetMs: number, resolve: (result: Exchanged) => void) {
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
    if (status !== 200) return
    const length = Number(headers['content-length'] ?? 0)
    const { maxBytes, onPiece } = this.#reading
    const done = (result: Buffer | Failure) => {
      if (Buffer.isBuffer(result)) this.#answer(result)
      else this.#break(result)
    }
    const body = openBody(headers['content-encoding'], length, maxBytes, done, onPiece?.(headers))
    if ('outcome' in body) this.#break(body)
    else this.#body = body
  }

  onResponseData(controller: Controller, chunk: Buffer): void {
    if (this.#settled) return
    if (this.#body) return this.#body.write(chunk, controller)
    this.#discarded.push(chunk)
    this.#discardedBytes += chunk.length
    if (this.#discardedBytes > DISCARDED_BYTES_MAX) this.#answerHead()
  }

  onResponseEnd(): void {
    this.#ended = true
    if (this.#body) this.#body.end()
    else this.#answerHead()
  }

  onResponseError(_: Controller | undefined, error: Error): void {
    this.#ended = true
    if (!this.#settled) this.fail(classifyError(error))
  }

  /** Ends the exchange with a failure, unless the status needs no body and so is an answer by itself. */
  fail(failure: Failure): void {
    if (this.#status !== undefined && this.#status !== 200) this.#answerHead(false)
    else this.#break(failure)
  }

  #answerHead(complete = this.#ended): void {
    const wanted = this.#status === 403 || this.#reading.wantsErrorBody === true
    const discarded = wanted ? Buffer.concat(this.#discarded) : nothing
    const coding = this.#headers['content-encoding']
    this.#answer(wanted ? decodeHead(discarded, coding, HEAD_BYTES) : discarded, complete)
  }

  #answer(body: Buffer, complete = this.#ended): void {
    if (!this.#settle()) return
    const [status, headers] = [this.#status!, this.#headers]
    this.#resolve({ kind: 'answer', status, headers, body, complete })
  }

  #break(failure: Failure): void {
    if (!this.#settle()) return
    const { outcome, detail, fault } = failure
    this.#resolve({ kind: 'broken', outcome, detail, fault, status: this.#status })
  }

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

function expire(exchange: Exchange): void {
  exchange.fail(timedOut)
}
