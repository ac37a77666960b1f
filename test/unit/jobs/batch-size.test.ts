import { describe, expect, it } from 'vitest'
import { BatchSize } from '../../../jobs/indexer/batch-size.ts'
import { Batcher } from '../../../jobs/indexer/batcher.ts'

const bounds = { bulkCommitLeast: 5_000, bulkCommitObservations: 50_000, bulkCommitMs: 500 }

type Commit = [observations: number, ms: number, documents?: number]

/**
 * Learns from commits of so many observations that took so many ms, and returns the size of the next
 * batch.
 */
function learnSize(...commits: Commit[]): number {
  const size = new BatchSize(bounds)
  for (const [observations, ms, documents = 0] of commits) size.learn(observations, documents, ms)
  return size.observations
}

describe('a batch of observations', () => {
  it('is small until the cost of observations is known', () => {
    expect(learnSize()).toBe(5_000)
  })

  it('is as large as can be committed in the time a save may wait', () => {
    expect(learnSize([10_000, 250])).toBe(20_000)
    expect(learnSize([10_000, 10])).toBe(50_000)
    expect(learnSize([10_000, 5_000])).toBe(5_000)
  })

  it('shrinks at once when observations cost more, and grows again gradually', () => {
    const loud = learnSize([20_000, 200], [20_000, 1_000])
    expect(loud).toBe(10_000)
    const quieter = learnSize([20_000, 200], [20_000, 1_000], [10_000, 100])
    expect(quieter).toBeGreaterThan(loud)
    expect(quieter).toBeLessThan(50_000)
  })

  it('does not shrink because of the fixed cost of small commits', () => {
    expect(learnSize([20_000, 200], [10, 100], [1, 100])).toBe(50_000)
  })

  it('is as large as may be where small ones take longer than a save may wait', () => {
    const small: Commit[] = [
      [5_000, 900],
      [200, 800],
      [5_000, 1_000],
    ]
    expect(learnSize(...small.slice(1))).toBe(5_000)
    expect(learnSize(...small)).toBe(50_000)
    expect(learnSize(...small, [50_000, 1_500])).toBe(50_000)
    expect(learnSize(...small, [200, 100])).toBe(5_000)
    const withDocuments = small.map(([observations, ms]): Commit => [observations, ms, 11])
    expect(learnSize(...withDocuments)).toBe(5_000)
  })

  it('shrinks again where the large one shows that the time was that of its observations', () => {
    const slow = Array.from({ length: 3 }, (): Commit => [5_000, 900])
    expect(learnSize(...slow, [50_000, 9_000])).toBe(5_000)
  })

  it('takes no more than its size of what has arrived, and leaves the rest for the next', async () => {
    const batches: number[][] = []
    const batcher = new Batcher<number, number>(
      async items => {
        batches.push(items)
        await new Promise(resolve => setImmediate(resolve))
        return items
      },
      { measureSize: () => 1, size: () => 3, waitMs: 1_000, idleMs: () => 5 },
    )
    const items = [1, 2, 3, 4, 5, 6, 7, 8]
    expect(await Promise.all(items.map(item => batcher.add(item)))).toEqual(items)
    expect(batches).toEqual([
      [1, 2, 3],
      [4, 5, 6],
      [7, 8],
    ])
  })
})
