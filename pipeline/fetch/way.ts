import type { Log } from '../core/log.ts'
import type { Connections } from './connections.ts'
import type { Resolution, Resolver } from './dns.ts'
import { type Exchanged, exchange, type Reading } from './exchange.ts'
import { type Failure, tooLate } from './failures.ts'
import { notPublic } from './guard.ts'
import type { Holds } from './holds.ts'
import type { Politeness } from './politeness.ts'
import type { Signer } from './signature.ts'

const closed: Failure = { outcome: 'connection_failed', detail: 'the fetcher is closed' }
const notReachable: Failure = { outcome: 'refused', detail: notPublic }
const noName: Failure = { outcome: 'timeout', detail: 'no answer about the name in time' }

/** What is asked at each hop. */
export interface Question {
  method: 'GET' | 'POST'
  headers: Record<string, string>
  body?: string
  reading: Reading
  /** The one host whose private addresses are dialed. */
  privateHost?: string | undefined
}

/** The time a fetch may still use; waiting for a turn is not taken from it. */
export interface Budget {
  leftMs: number
}

export interface WayParts {
  resolver: Resolver
  politeness: Politeness
  connections: Connections
  holds: Holds
  /** Signs what is asked by GET. */
  sign?: Signer | undefined
  log?: Log | undefined
}

/** One hop after the other, each with its own check, turn and connection. */
export class Way {
  readonly #resolver: Resolver
  readonly #politeness: Politeness
  readonly #connections: Connections
  readonly #holds: Holds
  readonly #sign: Signer | undefined
  readonly #log: Log | undefined
  #closed = false

  constructor({ resolver, politeness, connections, holds, sign, log }: WayParts) {
    this.#resolver = resolver
    this.#politeness = politeness
    this.#connections = connections
    this.#holds = holds
    this.#sign = sign
    this.#log = log
  }

  close(): void {
    this.#closed = true
    this.#connections.close()
    this.#resolver.close()
  }

  /** One hop. Slots are given back before the next one, so that hops never wait in a circle. */
  async visit(url: URL, question: Question, budget: Budget): Promise<Exchanged> {
    const name = this.#resolver.resolve(url.hostname)
    const resolution = name instanceof Promise ? await within(budget, name) : name
    if (resolution === undefined) return broken(noName)
    if (resolution.kind === 'refused' && url.hostname !== question.privateHost)
      return broken(notReachable)
    if (resolution.kind === 'failed')
      return broken({ outcome: 'dns_failed', detail: resolution.detail })
    const { addresses } = resolution
    const turn = this.#politeness.enter(url.hostname, addresses[0])
    if (turn) await turn
    try {
      const held = this.#holds.failureOf(url.hostname)
      if (held) return broken(held)
      const answer = await this.#ask(url, addresses, this.#signed(url, question), budget)
      if (answer.kind === 'answer') this.#holds.note(url.hostname, answer)
      return answer
    } finally {
      this.#politeness.leave(url.hostname, addresses[0])
    }
  }

  /** A signature counts for a moment and one host: made when the turn has come. */
  #signed(url: URL, question: Question): Question {
    if (this.#sign === undefined || question.method !== 'GET') return question
    return { ...question, headers: { ...question.headers, ...this.#sign(url) } }
  }

  /** A kept connection may have been hung up at the other end: then over another, at last a new one. */
  async #ask(
    url: URL,
    addresses: readonly [string, ...string[]],
    { method, headers, body, reading }: Question,
    budget: Budget,
  ): Promise<Exchanged> {
    for (;;) {
      if (this.#closed) return broken(closed)
      if (budget.leftMs <= 0) return broken(tooLate)
      const line = this.#connections.take(url, addresses)
      const wasUsed = line.used
      const request = { path: url.pathname + url.search, method, headers, body: body ?? null }
      const started = performance.now()
      const result = await exchange(line, request, reading, Math.ceil(budget.leftMs))
      budget.leftMs -= performance.now() - started
      if (result.kind === 'answer' && result.complete) this.#connections.give(line)
      else this.#connections.drop(line)
      if (result.kind === 'broken' && result.fault !== undefined)
        this.#log?.error({ url: url.href, err: result.fault }, 'fetch ended by an unknown error')
      if (!wasUsed || !isHangUp(result)) return result
    }
  }
}

function isHangUp(result: Exchanged): boolean {
  return (
    result.kind === 'broken' &&
    result.status === undefined &&
    result.outcome === 'connection_failed'
  )
}

/** Undefined when the answer took longer than is left. */
async function within(
  budget: Budget,
  answer: Promise<Resolution>,
): Promise<Resolution | undefined> {
  const started = performance.now()
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<undefined>(resolve => {
    timer = setTimeout(resolve, Math.ceil(budget.leftMs), undefined)
  })
  try {
    return await Promise.race([answer, late])
  } finally {
    clearTimeout(timer)
    budget.leftMs -= performance.now() - started
  }
}

function broken(failure: Failure): Exchanged {
  return { kind: 'broken', status: undefined, ...failure }
}
