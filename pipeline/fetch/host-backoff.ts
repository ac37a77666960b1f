import { type Clock, type Instant, SECOND } from '../core/clock.ts'
import { createTtlCache, type LRUCache } from '../core/ttl-cache.ts'
import { type CompleteExchange, readHeader } from './exchange.ts'
import type { Failure } from './failures.ts'
import { parseRetryAfter } from './retry-after.ts'

const PAUSED_HOSTS_MAX = 20_000

/**
 * Remembers hosts that asked for a pause: a 429 or 503 with `Retry-After` applies to every file of
 * the host, for the time it names and at most a day. Known to this process only.
 */
export class HostBackoff {
  readonly #clock: Clock
  readonly #until: LRUCache<string, Instant>

  constructor(clock: Clock) {
    this.#clock = clock
    this.#until = createTtlCache(clock, PAUSED_HOSTS_MAX)
  }

  /** Records the pause that an answer of the host requests, if it does. */
  note(host: string, { status, headers }: CompleteExchange): void {
    if (status !== 429 && status !== 503) return
    const now = this.#clock.now()
    const seconds = parseRetryAfter(readHeader(headers['retry-after']), now)
    if (!seconds) return
    const until = Math.max(now + seconds * SECOND, this.#until.get(host) ?? 0)
    this.#until.set(host, until, { ttl: until - now })
  }

  /** Finds the failure to report instead of a request to a host that is paused; undefined if it is not. */
  findFailure(host: string): Failure | undefined {
    const until = this.#until.get(host)
    const now = this.#clock.now()
    if (until === undefined || until <= now) return undefined
    const retryAfterSeconds = Math.ceil((until - now) / SECOND)
    return {
      outcome: 'throttled',
      detail: 'the host asked clients to slow down',
      retryAfterSeconds,
    }
  }
}
