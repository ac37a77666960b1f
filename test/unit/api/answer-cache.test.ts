import { expect, test } from 'vitest'
import { AnswerCache } from '../../../api/responses/answer-cache.ts'
import type { Reader } from '../../../pipeline/read/reader.ts'
import { testClock } from '../../support/worlds/clock.ts'

const empty = { snapshot: undefined, search: undefined, lists: undefined, serving: undefined }

test.each([
  ['a costly answer is kept from its first request', false, 1],
  ['a cheap answer is kept from its second request', true, 2],
])('%s', async (_, isCheap, expected) => {
  const cache = new AnswerCache(empty as unknown as Reader, testClock())
  let made = 0
  const make = async () => ({ status: 200, body: `made ${++made} times` })
  for (let i = 0; i < 4; i++) await cache.answer('question', make, isCheap)
  expect(made).toBe(expected)
  expect(await cache.answer('question', make, isCheap)).toMatchObject({
    etag: expect.stringMatching(/^[\w-]{22}$/),
  })
})

test('equal requests at one time share an answer, cheap or not', async () => {
  const cache = new AnswerCache(empty as unknown as Reader, testClock())
  let made = 0
  const make = async () => ({ status: 200, body: `made ${++made} times` })
  await Promise.all(Array.from({ length: 5 }, () => cache.answer('question', make, true)))
  expect(made).toBe(1)
})
