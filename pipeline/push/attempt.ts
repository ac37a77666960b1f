import { HOUR, type Instant, SECOND } from '../core/clock.ts'
import type { Limits } from '../core/limits.ts'
import type { PostResult } from '../fetch/http.ts'

/** Result of an attempt to deliver. */
export type Verdict =
  | { kind: 'taken'; status: number }
  /** Not sent, because of our own rate limits: it says nothing about the receiver. */
  | { kind: 'deferred'; waitMs: number }
  | { kind: 'failed'; status: number | null; error: string; retryAfterMs: number }
  /** The receiver answered 410: it wants no further deliveries. */
  | { kind: 'gone'; status: number; error: string }

/** Judges the response of a receiver: any 2xx accepts the delivery, whatever the body. */
export function judgeAnswer(posted: PostResult): Verdict {
  const { status } = posted
  const retryAfterMs = (posted.retryAfterSeconds ?? 0) * SECOND
  if (status !== undefined && status >= 200 && status < 300) return { kind: 'taken', status }
  if (posted.kind === 'failed' && (posted.outcome === 'deferred' || posted.outcome === 'throttled'))
    return { kind: 'deferred', waitMs: Math.max(retryAfterMs, SECOND) }
  if (status === 410) return { kind: 'gone', status, error: 'returned 410' }
  if (posted.kind === 'answered')
    return { kind: 'failed', status: posted.status, error: `returned ${status}`, retryAfterMs }
  // A name in a private network is reported like one that does not resolve, so that nobody can probe networks.
  const isNowhere = posted.outcome === 'refused' || posted.outcome === 'dns_failed'
  const error = isNowhere ? 'its host is not on the public internet' : posted.detail
  return { kind: 'failed', status: null, error, retryAfterMs }
}

type RetryLimits = Pick<
  Limits,
  'deliveryRetrySeconds' | 'deliveryRetrySecondsMost' | 'deliveryFailingHours'
>

/**
 * Computes the delay in milliseconds after consecutive failures: exponential backoff, at least `Retry-After`.
 */
export function computeRetryMs(
  failures: number,
  retryAfterMs: number,
  { deliveryRetrySeconds, deliveryRetrySecondsMost }: RetryLimits,
): number {
  const doubled = deliveryRetrySeconds * SECOND * 2 ** Math.min(failures - 1, 30)
  return Math.min(Math.max(doubled, retryAfterMs), deliveryRetrySecondsMost * SECOND)
}

/** Tells whether a receiver has failed for so long that its subscription is disabled. */
export function hasFailedTooLong(
  failingSince: string | null,
  now: Instant,
  { deliveryFailingHours }: RetryLimits,
): boolean {
  return failingSince !== null && now - Date.parse(failingSince) >= deliveryFailingHours * HOUR
}
