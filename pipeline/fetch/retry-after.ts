import { DAY, type Instant, SECOND } from '../core/clock.ts'

/**
 * Parses `Retry-After`, in seconds or as a date, to seconds between 0 and a day; undefined if it is
 * neither.
 */
export function retryAfterSeconds(header: string | undefined, now: Instant): number | undefined {
  const text = header?.trim()
  if (!text) return undefined
  const seconds = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - now) / SECOND
  if (Number.isNaN(seconds)) return undefined
  return Math.min(Math.max(Math.ceil(seconds), 0), DAY / SECOND)
}
