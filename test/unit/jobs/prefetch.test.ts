import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Prefetch } from '../../../jobs/indexer/prefetch.ts'
import type { DueTarget } from '../../../pipeline/writer/crawl/due-files.ts'

const READING_MS = 100
const buildTarget = (n: number): DueTarget => ({
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
function countPrefetched(count: number, { waitedMs = 0, tookMs = READING_MS } = {}) {
  const due = Array.from({ length: count }, (_, n) => buildTarget(n))
  let reads = 0
  const prefetched = new Prefetch(async limit => {
    reads++
    vi.advanceTimersByTime(waitedMs + tookMs)
    return { files: due.slice(0, limit), tookMs }
  })
  return { ahead: prefetched, due, reads: () => reads }
}

describe('prefetching due files', () => {
  it('is not repeated while everything due is with crawlers', async () => {
    const { ahead: prefetched, reads } = countPrefetched(3_000)
    const handedOut = new Set<DueTarget>()
    const isFree = (target: DueTarget) => !handedOut.has(target)
    for (const target of await prefetched.take(3_000, isFree)) handedOut.add(target)
    expect(handedOut.size).toBe(3_000)
    expect(await prefetched.take(500, isFree)).toEqual([])
    expect(reads()).toBe(1)
    vi.advanceTimersByTime(20 * READING_MS)
    expect(await prefetched.take(500, isFree)).toEqual([])
    expect(reads()).toBe(2)
  })

  it('stays valid while the writer is busy, but not forever when it takes long', async () => {
    for (const [times, ms] of [
      [{ waitedMs: 15_000 }, 20 * READING_MS],
      [{ tookMs: 15_000 }, 30_000],
    ] as const) {
      const { ahead: prefetched, reads } = countPrefetched(3_000, times)
      await prefetched.take(3_000, () => true)
      await prefetched.take(500, () => true)
      expect(reads()).toBe(1)
      vi.advanceTimersByTime(ms)
      await prefetched.take(500, () => true)
      expect(reads()).toBe(2)
    }
  })

  it('happens each time while there are few, unless it is slow', async () => {
    for (const [tookMs, count] of [
      [5, 2],
      [400, 1],
    ] as const) {
      const { ahead: prefetched, reads } = countPrefetched(10, { tookMs })
      await prefetched.take(10, () => true)
      vi.advanceTimersByTime(300)
      await prefetched.take(10, () => true)
      expect(reads()).toBe(count)
    }
  })

  it('happens at once when files are released', async () => {
    const { ahead: prefetched, due } = countPrefetched(3_000)
    const first = await prefetched.take(3_000, () => true)
    expect(await prefetched.take(500, () => true)).toEqual([])
    prefetched.expire()
    expect(await prefetched.take(500, target => target !== first[0])).toEqual(due.slice(1, 501))
  })
})
