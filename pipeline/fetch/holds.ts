import type { Clock, Instant } from '../core/clock.ts'
import { SECOND } from '../core/clock.ts'
import { type Answer, textOf } from './exchange.ts'
import type { Failure } from './failures.ts'
import { retryAfterSeconds } from './retry-after.ts'
import { TtlCache } from './ttl-cache.ts'

const HOSTS_KEPT = 20_000

/**
 * Hosts that asked for a pause: 429 or 503 with `Retry-After` speaks for every file of the host, for
 * as long as it says and a day at most. Known to this process only.
 */
export class Holds {
  readonly #clock: Clock
  readonly #until: TtlCache<Instant>

  constructor(clock: Clock) {
    this.#clock = clock
    this.#until = new TtlCache(clock, HOSTS_KEPT)
  }

  /** Takes in what a host answered. */
  note(host: string, { status, headers }: Answer): void {
    if (status !== 429 && status !== 503) return
    const now = this.#clock.now()
    const seconds = retryAfterSeconds(textOf(headers['retry-after']), now)
    if (!seconds) return
    const until = Math.max(now + seconds * SECOND, this.#until.get(host) ?? 0)
    this.#until.set(host, until, until - now)
  }

  /** Why a host is not asked now, if so. */
  failureOf(host: string): Failure | undefined {
    const until = this.#until.get(host)
    if (until === undefined) return undefined
    const retryAfterSeconds = Math.ceil((until - this.#clock.now()) / SECOND)
    return { outcome: 'throttled', detail: 'the host asked for a pause', retryAfterSeconds }
  }
}
