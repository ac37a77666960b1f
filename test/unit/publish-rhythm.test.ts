import { expect, test } from 'vitest'
import { nextPauseS } from '../../jobs/publish-rhythm.ts'

const [QUICK, SLOW] = [499, 500]

/** The pauses after copies that took this long, one after the other. */
function pausesAfter(...copies: number[]): number[] {
  let pause: number | undefined
  return copies.map(ms => {
    pause = nextPauseS(ms, pause)
    return pause
  })
}

test('a snapshot follows five seconds after one that was copied quickly', () => {
  expect(pausesAfter(0, QUICK, QUICK)).toEqual([5, 5, 5])
})

test('one slow copy makes lists wait half a minute, and not a quarter of an hour', () => {
  expect(pausesAfter(SLOW, QUICK)).toEqual([30, 5])
})

test('an index whose copies stay slow is copied each quarter of an hour', () => {
  expect(pausesAfter(SLOW, SLOW, SLOW, SLOW)).toEqual([30, 180, 900, 900])
})
