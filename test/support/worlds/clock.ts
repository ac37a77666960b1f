import { type Clock, DAY, HOUR, type Instant, MINUTE } from '../../../pipeline/core/clock.ts'

/** Time at which the clock of a test registry begins. */
export const START = Date.parse('2026-11-20T03:00:00.000Z')

/** A clock that stands still until it is moved by hand, backwards too. */
export interface TestClock extends Clock {
  /** Moves it, by so many milliseconds where only a number is given, and returns the new time. */
  tick(by: number | { days?: number; hours?: number; minutes?: number; ms?: number }): Instant
}

export function testClock(start: string | Instant = START): TestClock {
  let now = typeof start === 'number' ? start : Date.parse(start)
  return {
    now: () => now,
    tick(by) {
      const { days = 0, hours = 0, minutes = 0, ms = 0 } = typeof by === 'number' ? { ms: by } : by
      now += days * DAY + hours * HOUR + minutes * MINUTE + ms
      return now
    },
  }
}
