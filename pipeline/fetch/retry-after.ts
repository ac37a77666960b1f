import { DAY, type Instant, SECOND } from '../core/clock.ts'

/**
 * Parses the header `Retry-After`, which gives seconds or an HTTP date, to seconds from 0 to a day;
 * undefined if it is absent or neither.
 */
export function parseRetryAfter(header: string | undefined, now: Instant): number | undefined {
  const text = header?.trim()
  if (!text) return undefined
  const seconds = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - now) / SECOND
  if (Number.isNaN(seconds)) return undefined
  return Math.min(Math.max(Math.ceil(seconds), 0), DAY / SECOND)
}
