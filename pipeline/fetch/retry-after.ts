import { DAY, type Instant, SECOND } from '../core/clock.ts'

/** `Retry-After` in seconds or as a date: at least none, at most a day; undefined if it is neither. */
export function retryAfterSeconds(header: string | undefined, now: Instant): number | undefined {
  const text = header?.trim()
  if (!text) return undefined
  const seconds = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - now) / SECOND
  if (Number.isNaN(seconds)) return undefined
  return Math.min(Math.max(Math.ceil(seconds), 0), DAY / SECOND)
}
