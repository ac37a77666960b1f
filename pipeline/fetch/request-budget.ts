import { isIP } from 'node:net'
import { MINUTE, SECOND } from '../core/clock.ts'
import { getRegistrableDomain } from '../core/domain.ts'
import type { Limits } from '../core/limits.ts'
import type { Failure } from './failures.ts'
import type { RateName } from './fetch-meter.ts'
import { computeTokenMs, type Rate, type TokenBuckets } from './token-buckets.ts'

/** Requests reserved in advance, so that a series of requests is not interrupted in the middle. */
export interface Ticket {
  site: string
  remaining: number
}

/**
 * Cause of a request. A caller waits up to its deadline, or up to `maxWaitMs`. The crawl does not
 * wait, since it can fetch from other hosts meanwhile; it gets the time to retry. Servers named in
 * the operator's settings are never limited.
 */
export type Cause =
  | { kind: 'caller'; caller?: string; maxWaitMs?: number }
  | { kind: 'crawl'; ticket?: Ticket }
  /** A delivery to somebody who asked for it: it does not wait, and is made later. */
  | { kind: 'push' }
  | { kind: 'operator' }

export type RequestRates = Pick<
  Limits,
  | 'siteRequestsPerMinute'
  | 'addressRequestsPerMinute'
  | 'callerRequestsPerMinute'
  | 'callersRequestsPerMinute'
>

/** Share of a bucket that the crawl leaves free for callers. */
const CALLERS_SHARE = 1 / 4
/** Share of a bucket that each process may spend before it asks the shared bucket. */
const FREE_SHARE = 1 / 6
/** Longest wait of the crawl within a reserved series of requests. */
const CRAWL_WAIT_MAX_MS = 5 * SECOND

interface Waiter {
  count: number
  until: number
  resolve(refused: Refusal | undefined): void
}

interface Refusal {
  waitMs: number
}

/** State of one bucket in this process. */
interface LocalBucket {
  /** Tokens used in this minute before the shared budget is queried. */
  free: number
  /** Tokens taken from the bucket and not spent. */
  tokens: number
  waiting: Waiter[]
  isFilling: boolean
  /** Time at which there are tokens again, while the shared bucket is known to be empty. */
  emptyUntil: number
}

/**
 * Limits how many requests any registrable domain (a site) and any address gets from all crawlers
 * together, whatever the cause; and how many one caller, and all callers together, may cause. Half
 * a minute's worth may be spent at once. Most sites are asked for only a few files, which are
 * counted in this process alone. Beyond that, tokens are taken from the shared buckets, several at
 * a time.
 */
export class RequestBudget {
  readonly #buckets: TokenBuckets
  readonly #rates: Record<RateName, Rate>
  readonly #onRefused: (rate: RateName) => void
  #local = new Map<string, LocalBucket>()
  #minuteEnd = 0

  constructor(
    buckets: TokenBuckets,
    limits: RequestRates,
    onRefused: (rate: RateName) => void = () => undefined,
  ) {
    this.#onRefused = onRefused
    this.#buckets = buckets
    this.#rates = {
      site: toRate(limits.siteRequestsPerMinute),
      address: toRate(limits.addressRequestsPerMinute),
      caller: toRate(limits.callerRequestsPerMinute),
      callers: toRate(limits.callersRequestsPerMinute),
    }
  }

  /** Counts one request to a host; returns undefined when it may be sent at once. */
  enterSite(
    host: string,
    cause: Cause,
    maxWaitMs: number,
  ): Promise<Failure | undefined> | undefined {
    if (cause.kind === 'operator') return undefined
    const site = getSite(host)
    if (cause.kind === 'crawl') {
      const { ticket } = cause
      if (ticket?.site === site && ticket.remaining > 0) {
        ticket.remaining--
        return undefined
      }
      return this.#enter('site', site, cause, ticket ? CRAWL_WAIT_MAX_MS : 0)
    }
    if (cause.kind === 'push') return this.#enter('site', site, cause, 0)
    const maxMs = Math.min(maxWaitMs, cause.maxWaitMs ?? maxWaitMs)
    const byCaller = this.#enterCaller(cause, maxMs)
    if (byCaller === undefined) return this.#enter('site', site, cause, maxMs)
    const started = performance.now()
    return byCaller.then(
      refused => refused ?? this.#enter('site', site, cause, maxMs - (performance.now() - started)),
    )
  }

  /** Counts the same request for the address that the host resolved to. */
  enterAddress(
    address: string,
    cause: Cause,
    maxWaitMs: number,
  ): Promise<Failure | undefined> | undefined {
    if (cause.kind === 'operator') return undefined
    return this.#enter(
      'address',
      getNetwork(address),
      cause,
      Math.min(maxWaitMs, getLongestWait(cause) ?? maxWaitMs),
    )
  }

  /** Reserves several requests to a host, or returns when there is capacity for them. */
  async reserve(host: string, requests: number): Promise<Ticket | Failure> {
    const site = getSite(host)
    const count = Math.min(requests, crawlRate(this.#rates.site).burst)
    const refused = await this.#enter('site', site, { kind: 'crawl' }, 0, count)
    return refused ?? { site, remaining: count }
  }

  /** Returns the unused requests of a reservation. */
  refund({ site, remaining }: Ticket): void {
    if (remaining > 0) this.#getLocal(`crawl:site:${site}`).tokens += remaining
  }

  /** Refuses all waiting requests. */
  close(): void {
    for (const { waiting } of this.#local.values()) {
      for (const { resolve } of waiting.splice(0)) resolve({ waitMs: 0 })
    }
  }

  #enterCaller(
    { caller }: Extract<Cause, { kind: 'caller' }>,
    maxWaitMs: number,
  ): Promise<Failure | undefined> | undefined {
    if (caller === undefined) return undefined
    const cause: Cause = { kind: 'caller' }
    const own = this.#enter('caller', caller, cause, maxWaitMs)
    const all = () => this.#enter('callers', 'all', cause, maxWaitMs)
    return own === undefined ? all() : own.then(refused => refused ?? all())
  }

  #enter(
    kind: RateName,
    name: string,
    cause: Cause,
    maxWaitMs: number,
    count = 1,
  ): Promise<Failure | undefined> | undefined {
    const isCrawl = cause.kind === 'crawl'
    const rate = isCrawl ? crawlRate(this.#rates[kind]) : this.#rates[kind]
    const bucket = `${kind}:${name}`
    const local = this.#getLocal(`${cause.kind}:${bucket}`)
    if (local.waiting.length === 0 && takeTokens(local, count, rate)) return undefined
    return this.#waitInLine(local, bucket, rate, { count, maxWaitMs }).then(async refused => {
      if (refused === undefined) return undefined
      this.#onRefused(kind)
      const waitMs = isCrawl ? await this.#buckets.reserve(bucket, count, rate) : 0
      return deferFor(Math.max(waitMs, refused.waitMs))
    })
  }

  /** Waits in order of arrival; refused at once when the wait would exceed `maxWaitMs`. */
  async #waitInLine(
    local: LocalBucket,
    bucket: string,
    rate: Rate,
    { count, maxWaitMs }: { count: number; maxWaitMs: number },
  ): Promise<Refusal | undefined> {
    const now = performance.now()
    const tokensBefore = local.waiting.reduce(
      (sum, waiter) => sum + waiter.count,
      count - 1 - local.tokens,
    )
    const waitMs = local.emptyUntil - now + tokensBefore * computeTokenMs(rate)
    if (local.emptyUntil > now && waitMs > maxWaitMs) return { waitMs }
    const admitted = new Promise<Refusal | undefined>(resolve => {
      local.waiting.push({ count, until: now + Math.max(0, maxWaitMs), resolve })
    })
    if (!local.isFilling) void this.#fill(local, bucket, rate)
    return admitted
  }

  /** Takes tokens from the shared bucket until nothing waits anymore. */
  async #fill(local: LocalBucket, bucket: string, rate: Rate): Promise<void> {
    local.isFilling = true
    while (local.waiting.length > 0) {
      const requested = local.waiting.reduce((sum, { count }) => sum + count, 0)
      const overspent = local.free === Number.POSITIVE_INFINITY ? 0 : local.free
      local.free = Number.POSITIVE_INFINITY
      const count = requested + getFreeTokens(rate)
      const { granted, waitMs } = await this.#buckets.take(bucket, { count, overspent }, rate)
      local.tokens += granted
      serve(local)
      // Requests wait only for an empty bucket; more may have arrived during the call.
      local.emptyUntil = granted === count ? 0 : performance.now() + waitMs
      const nextMs = granted === count ? undefined : refuseLate(local, rate, waitMs)
      if (nextMs !== undefined) await waitFor(nextMs)
    }
    local.isFilling = false
  }

  #getLocal(name: string): LocalBucket {
    if (performance.now() > this.#minuteEnd) this.#beginMinute()
    const local = this.#local.get(name)
    if (local !== undefined) return local
    const fresh: LocalBucket = { free: 0, tokens: 0, waiting: [], isFilling: false, emptyUntil: 0 }
    this.#local.set(name, fresh)
    return fresh
  }

  /**
   * Drops the local counts of sites without waiting requests; most sites are asked for a few files
   * only.
   */
  #beginMinute(): void {
    this.#minuteEnd = performance.now() + MINUTE
    const before = this.#local
    this.#local = new Map()
    for (const [name, local] of before) if (local.isFilling) this.#local.set(name, local)
  }
}

/** Spends local tokens, or the share that needs no shared bucket. */
function takeTokens(local: LocalBucket, count: number, rate: Rate): boolean {
  if (local.tokens >= count) {
    local.tokens -= count
    return true
  }
  if (local.free + count > getFreeTokens(rate)) return false
  local.free += count
  return true
}

/** Admits waiting requests in order while there are tokens. */
function serve(local: LocalBucket): void {
  for (;;) {
    const [next] = local.waiting
    if (next === undefined || next.count > local.tokens) return
    local.waiting.shift()
    local.tokens -= next.count
    next.resolve(undefined)
  }
}

/**
 * Refuses requests that would wait too long; returns how long the others wait for the next tokens.
 */
function refuseLate(local: LocalBucket, rate: Rate, waitMs: number): number | undefined {
  const now = performance.now()
  let tokensBefore = -local.tokens
  const remaining = local.waiting.filter(({ count, until, resolve }) => {
    const ownWaitMs = waitMs + (tokensBefore + count - 1) * computeTokenMs(rate)
    if (now + ownWaitMs <= until) {
      tokensBefore += count
      return true
    }
    resolve({ waitMs: ownWaitMs })
    return false
  })
  local.waiting.splice(0, local.waiting.length, ...remaining)
  return remaining.length === 0 ? undefined : Math.min(Math.max(waitMs, 10), SECOND)
}

/** Returns the longest wait for a place; undefined where a request waits up to its deadline. */
function getLongestWait(cause: Exclude<Cause, { kind: 'operator' }>): number | undefined {
  if (cause.kind === 'caller') return cause.maxWaitMs
  return cause.kind === 'crawl' && cause.ticket ? CRAWL_WAIT_MAX_MS : 0
}

function toRate(perMinute: number): Rate {
  return { perMinute, burst: Math.max(1, Math.floor(perMinute / 2)) }
}

function crawlRate({ perMinute, burst }: Rate): Rate {
  return { perMinute, burst: Math.max(1, Math.floor(burst * (1 - CALLERS_SHARE))) }
}

function getFreeTokens({ burst }: Rate): number {
  return Math.floor(burst * FREE_SHARE)
}

/** Returns the registrable domain of a host, or the host itself where it has none. */
function getSite(host: string): string {
  return getRegistrableDomain(host) ?? getNetwork(host)
}

/** Returns an IPv4 address, or the /64 network of an IPv6 address, which is usually one machine. */
function getNetwork(address: string): string {
  const literal = address.startsWith('[') ? address.slice(1, -1) : address
  if (isIP(literal) !== 6) return literal
  return literal.split(':').slice(0, 4).join(':')
}

function deferFor(waitMs: number): Failure {
  return {
    outcome: 'deferred',
    detail: 'the request limit of this site is reached at the moment',
    retryAfterSeconds: Math.max(1, Math.ceil(waitMs / SECOND)),
  }
}

function waitFor(ms: number): Promise<void> {
  return new Promise(resolve => void setTimeout(resolve, ms))
}
