import { type BodyReader, headOf, openBody, type Watch } from './body.ts'
import type { Controller, Handler, Line, Request } from './connections.ts'
import { type Failure, FailureError, failureOf, tooLate } from './failures.ts'

/** A header that a server sent twice is a list. */
export type Headers = Record<string, string | string[] | undefined>

export function textOf(header: string | string[] | undefined): string | undefined {
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

export interface Broken extends Failure {
  kind: 'broken'
  status: number | undefined
}

export type Exchanged = Answer | Broken

/** How an answer is read. */
export interface Reading {
  maxBytes: number
  /** Chosen by the headers of a 200: who watches the body gets it instead of the answer. */
  watch?: (headers: Headers) => Watch | undefined
  /** The beginning of the body of any other status is wanted. */
  wantsHeads?: boolean
}

/** What is read of an answer nobody will use, to keep its connection. */
const SPARE_BYTES = 16 * 1024
const HEAD_BYTES = 4 * 1024
const nothing = Buffer.alloc(0)
const enough = new FailureError('connection_failed', 'read no further')

/**
 * One request and its answer over one line. Works on undici's callbacks instead of its streams: a
 * small answer then costs a few objects. One timer bounds everything from dialing to the last byte,
 * so a server that drips gains nothing.
 */
export function exchange(
  line: Line,
  request: Request,
  reading: Reading,
  budgetMs: number,
): Promise<Exchanged> {
  return new Promise(resolve => {
    line.client.dispatch(request, new Exchange(reading, budgetMs, resolve))
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
  #spare: Buffer[] = []
  #spareBytes = 0
  #ended = false
  #settled = false

  constructor(reading: Reading, budgetMs: number, resolve: (result: Exchanged) => void) {
    this.#reading = reading
    this.#resolve = resolve
    this.#timer = setTimeout(expire, budgetMs, this)
  }

  onRequestStart(controller: Controller): void {
    this.#controller = controller
    if (this.#settled) controller.abort(enough)
  }

  onResponseStart(_: Controller, status: number, headers: Headers): void {
    if (status < 200 || this.#settled) return
    this.#status = status
    this.#headers = headers
    if (status !== 200) return
    const length = Number(headers['content-length'] ?? 0)
    const { maxBytes, watch } = this.#reading
    const done = (result: Buffer | Failure) => {
      if (Buffer.isBuffer(result)) this.#answer(result)
      else this.#break(result)
    }
    const body = openBody(headers['content-encoding'], length, maxBytes, done, watch?.(headers))
    if ('outcome' in body) this.#break(body)
    else this.#body = body
  }

  onResponseData(controller: Controller, chunk: Buffer): void {
    if (this.#settled) return
    if (this.#body) return this.#body.write(chunk, controller)
    this.#spare.push(chunk)
    this.#spareBytes += chunk.length
    if (this.#spareBytes > SPARE_BYTES) this.#answerHead()
  }

  onResponseEnd(): void {
    this.#ended = true
    if (this.#body) this.#body.end()
    else this.#answerHead()
  }

  onResponseError(_: Controller | undefined, error: Error): void {
    this.#ended = true
    if (!this.#settled) this.fail(failureOf(error))
  }

  /** A status that says everything is an answer even when the rest never came. */
  fail(failure: Failure): void {
    if (this.#status !== undefined && this.#status !== 200) this.#answerHead(false)
    else this.#break(failure)
  }

  #answerHead(complete = this.#ended): void {
    const wanted = this.#status === 403 || this.#reading.wantsHeads === true
    const spare = wanted ? Buffer.concat(this.#spare) : nothing
    const coding = this.#headers['content-encoding']
    this.#answer(wanted ? headOf(spare, coding, HEAD_BYTES) : spare, complete)
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
    this.#spare = []
    if (!this.#ended) this.#controller?.abort(enough)
    return true
  }
}

function expire(exchange: Exchange): void {
  exchange.fail(tooLate)
}
