import { expect, test } from 'vitest'
import { DAY, MINUTE, SECOND, SteadyClock } from '../../../pipeline/core/clock.ts'

const START = Date.parse('2026-11-20T03:00:00.000Z')

function openClock() {
  let [wall, elapsed] = [START, 0]
  const clock = new SteadyClock(
    () => wall,
    () => elapsed,
  )
  return {
    clock,
    /** Passes time, and sets the clock of the machine by `wrong` milliseconds. */
    pass(ms: number, wrong = 0) {
      elapsed += ms
      wall += ms + wrong
      return clock.now() - START
    },
  }
}

test.each([2 * MINUTE, 8 * DAY, 36_500 * DAY])(
  'a clock of the machine that is %i ms ahead for seconds changes no time of the registry',
  jumpMs => {
    const { pass } = openClock()
    expect(pass(SECOND)).toBe(SECOND)
    expect(pass(SECOND, jumpMs)).toBe(2 * SECOND)
    expect(pass(5 * SECOND)).toBe(7 * SECOND)
    expect(pass(SECOND, -jumpMs)).toBe(8 * SECOND)
    expect(pass(SECOND, jumpMs)).toBe(9 * SECOND)
    expect(pass(9 * MINUTE)).toBe(9 * MINUTE + 9 * SECOND)
    expect(pass(SECOND, -jumpMs)).toBe(9 * MINUTE + 10 * SECOND)
  },
)

test('a clock of the machine that stays ahead is believed after ten minutes', () => {
  const { pass } = openClock()
  expect(pass(SECOND, DAY)).toBe(SECOND)
  expect(pass(10 * MINUTE)).toBe(10 * MINUTE + SECOND + DAY)
  expect(pass(SECOND)).toBe(10 * MINUTE + 2 * SECOND + DAY)
})

test('a clock of the machine that is set back, or forward by little, is believed at once', () => {
  const { pass } = openClock()
  expect(pass(SECOND, 30 * SECOND)).toBe(31 * SECOND)
  expect(pass(SECOND, -DAY)).toBe(32 * SECOND - DAY)
})

test('a part that is given only the function for the time reads the same clock', () => {
  const { clock, pass } = openClock()
  const { now } = clock
  expect(pass(SECOND)).toBe(now() - START)
})
