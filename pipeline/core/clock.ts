/** A moment: milliseconds since 1970 in UTC. Text on the wire is ISO 8601 (`isoOf`). */
export type Instant = number

/** The one source of time. Code that reads the time is handed a clock, so a test can move it. */
export interface Clock {
  now(): Instant
}

export const systemClock: Clock = { now: () => Date.now() }

export const SECOND = 1_000
export const MINUTE = 60 * SECOND
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

export function isoOf(instant: Instant): string {
  return new Date(instant).toISOString()
}

/** The UTC day of an instant, `YYYY-MM-DD`. */
export function dayOf(instant: Instant): string {
  return isoOf(instant).slice(0, 10)
}
