import { expect, test } from 'vitest'
import { WindowCounter } from '../../../pipeline/core/window-counter.ts'

test('callers that are too many to be counted apart share one count, and those known before keep theirs', () => {
  const counter = new WindowCounter(1_000, 2)
  const take = (name: string) => counter.take(name, 2, 0)
  expect([take('ann'), take('bob')]).toEqual([true, true])
  expect(Array.from({ length: 4 }, (_, i) => take(`invented ${i}`))).toEqual([
    true,
    true,
    false,
    false,
  ])
  expect([take('ann'), take('ann')]).toEqual([true, false])
  expect(counter.take('invented 9', 2, 1_000)).toBe(true)
})
