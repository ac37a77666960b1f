import { describe, expect, test } from 'vitest'
import { PublishInterval } from '../../../jobs/indexer/publish-interval.ts'

const MB = 1_000_000
const MINUTE_MS = 60_000

/** Lists the seconds until the next snapshot after each of these copies. */
function listPauses(bytes: number, ...copies: number[]): number[] {
  const interval = new PublishInterval()
  return copies.map(ms => interval.next({ ms, bytes }))
}

describe('the interval between snapshots', () => {
  test('is five seconds where copies are fast', () => {
    expect(listPauses(200 * MB, 100, 499, 500)).toEqual([5, 5, 5])
  })

  test('stays five seconds for a small index, however long the machine is suspended', () => {
    const stall = [20 * MINUTE_MS, MINUTE_MS, MINUTE_MS, MINUTE_MS, MINUTE_MS]
    expect(listPauses(17 * MB, ...stall)).toEqual([5, 5, 5, 5, 5])
  })

  test('ignores one slow copy among fast ones', () => {
    expect(listPauses(400 * MB, 450, 5_000, 450)).toEqual([5, 5, 5])
  })

  test('grows with slow copies, up to a quarter of an hour', () => {
    expect(listPauses(300 * MB, 1_000, 1_000, 1_000)).toEqual([20, 20, 20])
    expect(listPauses(2_000 * MB, 4_000).at(-1)).toBe(320)
    expect(listPauses(9_000 * MB, 30_000, 30_000).at(-1)).toBe(900)
  })

  test('shrinks after the first fast copy', () => {
    expect(listPauses(2_000 * MB, 30_000, 30_000, 30_000, 300).at(-1)).toBe(5)
  })
})
