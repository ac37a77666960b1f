import { expect, test } from 'vitest'
import { createTtlCache } from '../../../pipeline/core/ttl-cache.ts'
import { testClock } from '../../support/worlds/clock.ts'

test('an entry is kept for its time by our clock, and evicted when others are used more', () => {
  const clock = testClock('2026-03-01T00:00:00Z')
  const cache = createTtlCache<number>(clock, 3)
  for (const n of [1, 2, 3]) cache.set(`${n}`, n, { ttl: 1_000 * n })
  cache.set('1', 10, { ttl: 5_000 })
  cache.set('4', 4, { ttl: 5_000 })
  expect(['1', '2', '3', '4'].map(key => cache.get(key))).toEqual([10, undefined, 3, 4])
  clock.tick({ ms: 3_000 })
  expect(cache.get('3')).toBe(3)
  clock.tick({ ms: 1 })
  expect(cache.get('3')).toBeUndefined()
  expect(cache.get('4')).toBe(4)
})
