/** An instant in milliseconds since 1970 in UTC. Text on the wire is ISO 8601 (`toIso`). */
export type Instant = number

/** The only source of time. Code that needs the time gets a clock, so that a test can move it. */
export interface Clock {
  now(): Instant
}

export const SECOND = 1_000
export const MINUTE = 60 * SECOND
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

/** A clock of the machine that is ahead by as much is not believed at once. */
const JUMP_MS = MINUTE
/** Time after which a jump is believed: it was no mistake that somebody corrects. */
const BELIEVED_AFTER_MS = 10 * MINUTE

/**
 * The clock of the machine, without jumps forward that last for less than ten minutes. What is past its time ends and is
 * deleted, which nobody can undo, so a wrong time must not have that effect. Meanwhile time goes on as before.
 */
export class SteadyClock implements Clock {
  readonly #readWall: () => Instant
  readonly #readElapsed: () => number
  #wall: Instant
  #elapsed: number
  /** Elapsed time at which a jump was first seen. */
  #jumpedAt: number | undefined

  /** Creates a clock that compares the time of the machine with the time elapsed, both in milliseconds. */
  constructor(readWall = () => Date.now(), readElapsed = () => performance.now()) {
    this.#readWall = readWall
    this.#readElapsed = readElapsed
    this.#wall = readWall()
    this.#elapsed = readElapsed()
  }

  /** Reads the time; a function of its own, since parts are given it without the clock. */
  readonly now = (): Instant => {
    const [wall, elapsed] = [this.#readWall(), this.#readElapsed()]
    const expected = this.#wall + elapsed - this.#elapsed
    if (wall <= expected + JUMP_MS) this.#jumpedAt = undefined
    else {
      this.#jumpedAt ??= elapsed
      if (elapsed - this.#jumpedAt < BELIEVED_AFTER_MS) return Math.floor(expected)
      this.#jumpedAt = undefined
    }
    this.#wall = wall
    this.#elapsed = elapsed
    return wall
  }
}

export const systemClock: Clock = new SteadyClock()

let lastDay = Number.NaN
let lastDate = ''

/** Formats an ISO 8601 time for people, in UTC, to the minute. */
export function formatTime(iso: string): string {
  return `${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC`
}

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
