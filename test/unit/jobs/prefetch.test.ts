import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Prefetch } from '../../../jobs/indexer/prefetch.ts'
import type { DueTarget } from '../../../pipeline/writer/crawl/frontier.ts'

const READING_MS = 100
const fileOf = (n: number): DueTarget => ({
  kind: 'brand.json',
  location: `${n}.example`,
  priority: 2,
})

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] })
})
afterEach(() => {
  vi.useRealTimers()
})

/** Files of which so many are due, read in their order; tells how often they were read. */
function aheadOf(count: number, { waitedMs = 0, tookMs = READING_MS } = {}) {
  const due = Array.from({ length: count }, (_, n) => fileOf(n))
  let reads = 0
  const ahead = new Prefetch(async limit => {
    reads++
    vi.advanceTimersByTime(waitedMs + tookMs)
    return { files: due.slice(0, limit), tookMs }
  })
  return { ahead, due, reads: () => reads }
}

describe('reading ahead', () => {
  it('is not done again and again while all that is due is with crawlers', async () => {
    const { ahead, reads } = aheadOf(3_000)
    const handedOut = new Set<DueTarget>()
    const isFree = (target: DueTarget) => !handedOut.has(target)
    for (const target of await ahead.take(3_000, isFree)) handedOut.add(target)
    expect(handedOut.size).toBe(3_000)
    expect(await ahead.take(500, isFree)).toEqual([])
    expect(reads()).toBe(1)
    vi.advanceTimersByTime(20 * READING_MS)
    expect(await ahead.take(500, isFree)).toEqual([])
    expect(reads()).toBe(2)
  })

  it('is good no longer because the writer was busy before it, nor for ever when it took long', async () => {
    for (const [times, ms] of [
      [{ waitedMs: 15_000 }, 20 * READING_MS],
      [{ tookMs: 15_000 }, 30_000],
    ] as const) {
      const { ahead, reads } = aheadOf(3_000, times)
      await ahead.take(3_000, () => true)
      await ahead.take(500, () => true)
      expect(reads()).toBe(1)
      vi.advanceTimersByTime(ms)
      await ahead.take(500, () => true)
      expect(reads()).toBe(2)
    }
  })

  it('is done at once when others have become free', async () => {
    const { ahead, due } = aheadOf(3_000)
    const first = await ahead.take(3_000, () => true)
    expect(await ahead.take(500, () => true)).toEqual([])
    ahead.expire()
    expect(await ahead.take(500, target => target !== first[0])).toEqual(due.slice(1, 501))
  })

  it('is done each time while it is of few', async () => {
    const { ahead, reads } = aheadOf(10)
    await ahead.take(100, () => true)
    await ahead.take(100, () => true)
    expect(reads()).toBe(2)
  })
})
