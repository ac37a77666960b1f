import { type Clock, DAY, HOUR, type Instant, MINUTE } from '../../pipeline/core/clock.ts'

/** A clock that stands still until it is moved by hand, backwards too. */
export interface TestClock extends Clock {
  tick(by: { days?: number; hours?: number; minutes?: number; ms?: number }): Instant
}

export function testClock(start: string | Instant): TestClock {
  let now = typeof start === 'number' ? start : Date.parse(start)
  return {
    now: () => now,
    tick({ days = 0, hours = 0, minutes = 0, ms = 0 }) {
      now += days * DAY + hours * HOUR + minutes * MINUTE + ms
      return now
    },
  }
}
