import type { Instant } from '../../pipeline/core/clock.ts'
import { hashCaller } from '../limits/caller.ts'
import type { CallCounter } from './state/call-counter.ts'

/** Callback of a limiter: takes the calls of a window, and the milliseconds that are left of it. */
type LimiterCallback = (error: Error | null, counted?: { current: number; ttl: number }) => void

/** Builds the store in which the limiters of an agent count, together with those of other processes. */
export function buildQuotaStore(calls: CallCounter, now: () => Instant) {
  return class QuotaStore {
    incr(caller: string, callback: LimiterCallback, windowMs: number): void {
      const at = now()
      try {
        // The caller's id may be longer than a key of the store, so it is hashed.
        const { calls: current, until } = calls.count(hashCaller(caller), at, windowMs)
        callback(null, { current, ttl: until - at })
      } catch (error) {
        callback(error as Error)
      }
    }

    child(): QuotaStore {
      return this
    }
  }
}
