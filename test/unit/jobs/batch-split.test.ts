import { describe, expect, it } from 'vitest'
import { BatchSplit } from '../../../jobs/indexer/batch-split.ts'
import type { Observation } from '../../../pipeline/model/observation.ts'

const unchanged = (location: string): Observation => {
  return { kind: 'brand.json', location, observed_at: 0, outcome: 'unchanged' }
}
const read = (location: string): Observation => {
  return { ...unchanged(location), outcome: 'ok', document: { variant: 'none' } as never }
}
const many = (n: number, make: (location: string) => Observation) =>
  Array.from({ length: n }, (_, i) => make(`d${i}.example`))

describe('a part of the observations', () => {
  it('is all of them where nothing has changed', () => {
    const observations = many(50_000, unchanged)
    expect(new BatchSplit().next(observations, 500)).toEqual(observations)
  })

  it('ends with as many documents as can be committed in the time a save may wait', () => {
    const parts = new BatchSplit()
    const observations = [...many(1_000, unchanged), ...many(1_000, read)]
    expect(parts.next(observations, 500)).toHaveLength(1_166)
    parts.learn(many(200, read), 500)
    expect(parts.next(observations, 500)).toHaveLength(1_181)
    expect(parts.next(observations, 200)).toHaveLength(1_072)
  })

  it('shrinks at once when documents cost more, but not below a useful commit', () => {
    const parts = new BatchSplit()
    parts.learn(many(200, read), 4_000)
    expect(parts.next(many(1_000, read), 500)).toHaveLength(50)
  })

  it('has at most one of the largest documents, with small ones before and after it', () => {
    const parts = new BatchSplit()
    const large = (location: string): Observation => ({ ...read(location), bytes: 5_000_000 })
    const observations = [
      ...many(20, read),
      ...many(3, large),
      ...many(9, unchanged),
      ...many(20, read),
    ]
    const lengths: number[] = []
    for (let left: readonly Observation[] = observations; left.length > 0; ) {
      lengths.push(parts.next(left, 500).length)
      left = left.slice(lengths.at(-1))
    }
    expect(lengths).toEqual([20, 1, 1, 10, 20])
  })

  it('loses nothing and keeps the order', () => {
    const parts = new BatchSplit()
    const observations = [...many(300, read), ...many(300, unchanged), ...many(300, read)]
    const put: Observation[] = []
    for (let left: readonly Observation[] = observations; left.length > 0; ) {
      const part = parts.next(left, 500)
      put.push(...part)
      left = left.slice(part.length)
    }
    expect(put).toEqual(observations)
  })
})
