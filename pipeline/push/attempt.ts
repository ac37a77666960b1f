import { HOUR, type Instant, SECOND } from '../core/clock.ts'
import type { Limits } from '../core/limits.ts'
import type { PostResult } from '../fetch/http.ts'

/** Result of an attempt to deliver. */
export type Verdict =
  | { kind: 'taken'; status: number }
  /** Our own limits put it off: nothing is said of the receiver. */
  | { kind: 'deferred'; waitMs: number }
  | { kind: 'failed'; status: number | null; error: string; retryAfterMs: number }
  /** The receiver wants no more. */
  | { kind: 'gone'; status: number; error: string }

/** Judges an answer: any 2xx is taken, whatever its body. */
export function judgeAnswer(posted: PostResult): Verdict {
  const { status } = posted
  const retryAfterMs = (posted.retryAfterSeconds ?? 0) * SECOND
  if (status !== undefined && status >= 200 && status < 300) return { kind: 'taken', status }
  if (posted.kind === 'failed' && (posted.outcome === 'deferred' || posted.outcome === 'throttled'))
    return { kind: 'deferred', waitMs: Math.max(retryAfterMs, SECOND) }
  if (status === 410) return { kind: 'gone', status, error: 'answered 410' }
  if (posted.kind === 'answered')
    return { kind: 'failed', status: posted.status, error: `answered ${status}`, retryAfterMs }
  // A name that leads into a private network is told like one that leads nowhere.
  const isNowhere = posted.outcome === 'refused' || posted.outcome === 'dns_failed'
  const error = isNowhere ? 'its host is not on the public internet' : posted.detail
  return { kind: 'failed', status: null, error, retryAfterMs }
}

type RetryLimits = Pick<
  Limits,
  'deliveryRetrySeconds' | 'deliveryRetrySecondsMost' | 'deliveryFailingHours'
>

/** Computes the wait after so many failures in a row, no shorter than the receiver asks for. */
export function computeRetryMs(
  failures: number,
  retryAfterMs: number,
  { deliveryRetrySeconds, deliveryRetrySecondsMost }: RetryLimits,
): number {
  const doubled = deliveryRetrySeconds * SECOND * 2 ** Math.min(failures - 1, 30)
  return Math.min(Math.max(doubled, retryAfterMs), deliveryRetrySecondsMost * SECOND)
}

/** Tells whether a receiver has failed for so long that nobody tries any more. */
export function hasFailedTooLong(
  failingSince: string | null,
  now: Instant,
  { deliveryFailingHours }: RetryLimits,
): boolean {
  return failingSince !== null && now - Date.parse(failingSince) >= deliveryFailingHours * HOUR
}
