/** An instant in milliseconds since 1970 in UTC. Text on the wire is ISO 8601 (`toIso`). */
export type Instant = number

/** The only source of time. Code that needs the time gets a clock, so that a test can move it. */
export interface Clock {
  now(): Instant
}

export const systemClock: Clock = { now: () => Date.now() }

export const SECOND = 1_000
export const MINUTE = 60 * SECOND
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

let lastDay = Number.NaN
let lastDate = ''

/** Formats an instant as ISO 8601 in UTC. Answers contain many times of few days, so the last date is cached. */
export function toIso(instant: Instant): string {
  const day = Math.floor(instant / DAY)
  if (day !== lastDay) {
    lastDate = new Date(day * DAY).toISOString().slice(0, -13)
    lastDay = day
  }
  const ms = Math.trunc(instant - day * DAY)
  const clock = `${padTwo(ms / HOUR)}:${padTwo((ms / MINUTE) % 60)}:${padTwo((ms / SECOND) % 60)}`
  return `${lastDate}${clock}.${String(ms % SECOND).padStart(3, '0')}Z`
}

function padTwo(part: number): string {
  const digits = Math.trunc(part)
  return digits < 10 ? `0${digits}` : String(digits)
}

/** Formats the UTC day of an instant, `YYYY-MM-DD`. */
export function toDay(instant: Instant): string {
  return toIso(instant).slice(0, 10)
}
