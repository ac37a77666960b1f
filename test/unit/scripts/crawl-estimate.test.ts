import { describe, expect, it } from 'vitest'
import { CrawlEstimator } from '../../../scripts/commands/crawl-estimate.ts'

const SECOND = 1_000

/** Estimates after each second of a crawl that is told how many files are done by then. */
function listEstimates(total: number, done: readonly number[]) {
  const estimator = new CrawlEstimator()
  return done.map((files, second) => estimator.add(second * SECOND, files, total - files))
}

describe('the remaining time of a crawl', () => {
  it('follows its speed of the last seconds, not that of its start', () => {
    const fast = Array.from({ length: 10 }, (_, at) => at * 100)
    const slow = Array.from({ length: 40 }, (_, at) => 900 + at * 2)
    const last = listEstimates(2_000, [...fast, ...slow]).at(-1)!
    expect(last.rate).toBeCloseTo(2)
    expect(last.leftS).toBe((2_000 - (900 + 39 * 2)) / 2)
  })

  it('is not given for the last files, which are slow to answer', () => {
    const stalled = [0, 600, 1_200, ...Array.from({ length: 60 }, () => 1_241)]
    for (const { leftS } of listEstimates(1_244, stalled).slice(3)) expect(leftS).toBeUndefined()
  })

  it('is not given by the first seconds, in which hosts are looked up', () => {
    const slowThenFast = [0, 1, 2, 3, ...Array.from({ length: 12 }, (_, at) => 3 + at * 50)]
    const left = listEstimates(1_000, slowThenFast).map(({ leftS }) => leftS)
    expect(left.slice(0, 10)).toEqual(Array(10).fill(undefined))
    expect(left.at(-1)).toBeLessThan(20)
  })

  it('is not given before anything was done', () => {
    expect(listEstimates(100, [0, 0, 0]).map(({ leftS }) => leftS)).toEqual(
      Array(3).fill(undefined),
    )
  })

  it('is not given while nothing is done, and comes back with the next file', () => {
    const stalled = [...Array.from({ length: 12 }, (_, at) => at * 50), ...Array(5).fill(550), 600]
    const estimates = listEstimates(2_000, stalled)
    expect(estimates.map(({ idleS }) => idleS).slice(11)).toEqual([0, 1, 2, 3, 4, 5, 0])
    expect(estimates.at(-3)!.leftS).toBeGreaterThan(0)
    expect(estimates.at(-2)!.leftS).toBeUndefined()
    expect(estimates.at(-1)!.leftS).toBeGreaterThan(0)
  })

  it('is zero once all is done', () => {
    expect(listEstimates(100, [0, 50, 100]).at(-1)!.leftS).toBe(0)
  })
})
