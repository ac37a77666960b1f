import { expect, it } from 'vitest'
import { Batcher } from '../../../jobs/indexer/batcher.ts'

const LONG_MS = 60_000

it('a batch that waits for more is committed when the input ends', async () => {
  let isFull = false
  const batches: string[][] = []
  const batcher = new Batcher<string, string>(
    async items => {
      batches.push(items)
      return items.map(item => `${item} is kept`)
    },
    { measureSize: () => 1, size: 10, waitMs: LONG_MS, idleMs: () => (isFull ? 0 : LONG_MS) },
  )
  const answers = Promise.all(['a', 'b'].map(item => batcher.add(item)))
  batcher.commitIfDue()
  expect(batches).toEqual([])
  isFull = true
  batcher.commitIfDue()
  expect(await answers).toEqual(['a is kept', 'b is kept'])
  expect(batches).toEqual([['a', 'b']])
})

it('a batch takes no more than its size of what has arrived, and leaves the rest for the next', async () => {
  const batches: number[][] = []
  const batcher = new Batcher<number, number>(
    async items => {
      batches.push(items)
      await new Promise(resolve => setImmediate(resolve))
      return items
    },
    { measureSize: () => 1, size: 3, waitMs: 1_000, idleMs: () => 5 },
  )
  const items = [1, 2, 3, 4, 5, 6, 7, 8]
  expect(await Promise.all(items.map(item => batcher.add(item)))).toEqual(items)
  expect(batches).toEqual([
    [1, 2, 3],
    [4, 5, 6],
    [7, 8],
  ])
})
