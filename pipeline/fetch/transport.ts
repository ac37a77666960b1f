import type { Log } from '../core/log.ts'
import { traceWork } from '../core/trace.ts'
import type { Connections, Request } from './connections.ts'
import type { Resolution, Resolver } from './dns.ts'
import { type Exchanged, exchange, type ReadOptions } from './exchange.ts'
import { type Failure, timedOut } from './failures.ts'
import { type FetchMeter, silentMeter } from './fetch-meter.ts'
import type { HostBackoff } from './host-backoff.ts'
import type { Politeness } from './politeness.ts'
import type { Cause, RequestBudget } from './request-budget.ts'
import type { Signer } from './signature.ts'
import { notPublic } from './ssrf-guard.ts'

const closed: Failure = { outcome: 'connection_failed', detail: 'the fetcher is closed' }
const notReachable: Failure = { outcome: 'refused', detail: notPublic }
const noName: Failure = { outcome: 'timeout', detail: 'the name server did not answer in time' }

/** The request of each hop. */
export interface TransportRequest {
  method: 'GET' | 'POST'
  headers: Record<string, string>
  body?: string | readonly Uint8Array[]
  reading: ReadOptions
  /** True for a stream that stays open: it leaves its slots as soon as the answer begins. */
  isStream?: boolean
  cause: Cause
  /** The one host that may resolve to private addresses. */
  privateHost?: string | undefined
  /** Ends the exchange as a timeout when it is aborted. */
  signal?: AbortSignal | undefined
}

/** Remaining time of a fetch; waiting for a host's rate limit is not counted. */
export interface Budget {
  remainingMs: number
}

export interface TransportParts {
  resolver: Resolver
  politeness: Politeness
  requests: RequestBudget
  connections: Connections
  backoff: HostBackoff
  /** Signs GET requests. */
  sign?: Signer | undefined
  log?: Log | undefined
  meter?: FetchMeter
}

/** Sends each hop of a fetch with its own guard check, slot and connection. */
export class Transport {
  readonly #resolver: Resolver
  readonly #politeness: Politeness
  readonly #requests: RequestBudget
  readonly #connections: Connections
  readonly #backoff: HostBackoff
  readonly #sign: Signer | undefined
  readonly #log: Log | undefined
  readonly #meter: FetchMeter
  #closed = false

  constructor(parts: TransportParts) {
    const { resolver, politeness, requests, connections, backoff, sign, log } = parts
    this.#meter = parts.meter ?? silentMeter
    this.#resolver = resolver
    this.#politeness = politeness
    this.#requests = requests
    this.#connections = connections
    this.#backoff = backoff
    this.#sign = sign
    this.#log = log
  }

  close(): void {
    this.#closed = true
    this.#requests.close()
    this.#connections.close()
    this.#resolver.close()
  }

  /** Sends one hop. Its slots are freed before the next hop, so that hops cannot deadlock. */
  async request(url: URL, question: TransportRequest, budget: Budget): Promise<Exchanged> {
    // A DNS query also reaches the site's own name server, so it is counted first.
    const bySite = this.#requests.enterSite(url.hostname, question.cause, budget.remainingMs)
    const shut = bySite && (await runTimed(budget, bySite))
    if (shut) return toBrokenExchange(shut)
    const isNamed = url.hostname === question.privateHost
    const name = isNamed
      ? this.#resolver.resolveNamed(url.hostname)
      : this.#resolver.resolve(url.hostname)
    const resolution = name instanceof Promise ? await answerWithin(budget, name) : name
    if (resolution === undefined) return toBrokenExchange(noName)
    if (resolution.kind === 'refused' && !isNamed) {
      this.#meter.countRefusal('resolved')
      return toBrokenExchange(notReachable)
    }
    if (resolution.kind === 'failed')
      return toBrokenExchange({ outcome: 'dns_failed', detail: resolution.detail })
    const { addresses } = resolution
    const byAddress = this.#requests.enterAddress(addresses[0], question.cause, budget.remainingMs)
    const full = byAddress && (await runTimed(budget, byAddress))
    if (full) return toBrokenExchange(full)
    const slot = this.#politeness.enter(url.hostname, addresses[0])
    if (slot) await slot
    const leave = runOnce(() => this.#politeness.leave(url.hostname, addresses[0]))
    try {
      const paused = this.#backoff.findFailure(url.hostname)
      if (paused) return toBrokenExchange(paused)
      const sent = question.isStream
        ? { ...question, reading: leaveOnAnswer(question.reading, leave) }
        : question
      const answer = await this.#ask(url, addresses, this.#signed(url, sent), budget)
      if (answer.kind === 'answer') this.#backoff.note(url.hostname, answer)
      return answer
    } finally {
      leave()
    }
  }

  /**
   * Adds a signature to a request. Signatures are short-lived and made for one host, so they are created
   * right before sending.
   */
  #signed(url: URL, question: TransportRequest): TransportRequest {
    if (this.#sign === undefined || question.method !== 'GET') return question
    return { ...question, headers: { ...question.headers, ...this.#sign(url) } }
  }

  /**
   * Sends a request. The server may have closed an idle connection: then it is sent on another one, at last
   * on a new one.
   */
  async #ask(
    url: URL,
    addresses: readonly [string, ...string[]],
    { method, headers, body, reading, signal }: TransportRequest,
    budget: Budget,
  ): Promise<Exchanged> {
    for (;;) {
      if (this.#closed) return toBrokenExchange(closed)
      if (budget.remainingMs <= 0 || signal?.aborted) return toBrokenExchange(timedOut)
      const line = this.#connections.take(url, addresses)
      const wasUsed = line.used
      // undici takes whatever can be iterated; its type names less.
      const content = (body ?? null) as NonNullable<Request['body']> | null
      const request = { path: url.pathname + url.search, method, headers, body: content }
      const started = performance.now()
      const result = await traceWork(
        `fetch ${method}`,
        { host: url.host, address: addresses[0], reused: wasUsed },
        () => exchange(line, request, reading, Math.ceil(budget.remainingMs), signal),
        { kind: 'client' },
      )
      const tookMs = performance.now() - started
      budget.remainingMs -= tookMs
      this.#meter.countExchange(result.kind === 'answer' ? 'answered' : 'broken', tookMs)
      if (result.kind === 'answer' && result.complete) this.#connections.release(line)
      else this.#connections.drop(line)
      if (result.kind === 'broken' && result.fault !== undefined)
        this.#log?.error({ url: url.href, err: result.fault }, 'fetch ended by an unknown error')
      if (!wasUsed || !isHangUp(result)) return result
    }
  }
}

/** Calls a function when the body of a 200 begins, before the reader of its pieces is chosen. */
function leaveOnAnswer(reading: ReadOptions, leave: () => void): ReadOptions {
  return {
    ...reading,
    onPiece(headers) {
      leave()
      return reading.onPiece?.(headers)
    },
  }
}

function runOnce(run: () => void): () => void {
  let hasRun = false
  return () => {
    if (!hasRun) run()
    hasRun = true
  }
}

function isHangUp(result: Exchanged): boolean {
  return (
    result.kind === 'broken' &&
    result.status === undefined &&
    (result.outcome === 'connection_failed' || result.outcome === 'not_http')
  )
}

async function runTimed<Result>(budget: Budget, request: Promise<Result>): Promise<Result> {
  const started = performance.now()
  try {
    return await request
  } finally {
    budget.remainingMs -= performance.now() - started
  }
}

/** Waits for an answer; undefined when it takes longer than the remaining time. */
async function answerWithin(
  budget: Budget,
  answer: Promise<Resolution>,
): Promise<Resolution | undefined> {
  const started = performance.now()
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<undefined>(resolve => {
    timer = setTimeout(resolve, Math.ceil(budget.remainingMs), undefined)
  })
  try {
    return await Promise.race([answer, timeout])
  } finally {
    clearTimeout(timer)
    budget.remainingMs -= performance.now() - started
  }
}

function toBrokenExchange(failure: Failure): Exchanged {
  return { kind: 'broken', status: undefined, ...failure }
}
