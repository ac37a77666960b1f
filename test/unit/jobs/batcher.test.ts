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
    { measureSize: () => 1, size: () => 10, waitMs: LONG_MS, idleMs: () => (isFull ? 0 : LONG_MS) },
  )
  const answers = Promise.all(['a', 'b'].map(item => batcher.add(item)))
  batcher.commitIfDue()
  expect(batches).toEqual([])
  isFull = true
  batcher.commitIfDue()
  expect(await answers).toEqual(['a is kept', 'b is kept'])
  expect(batches).toEqual([['a', 'b']])
})
