import { setTimeout } from 'node:timers/promises'
import { Queue } from 'bullmq'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ObservationSender } from '../../../jobs/crawler/observation-sender.ts'
import { REDIS_PREFIX } from '../../../jobs/redis.ts'
import { limits } from '../../../pipeline/core/limits.ts'
import { startRedis } from '../../support/processes/redis.ts'
import { openForAll } from '../../support/runner/open-for-all.ts'

const BYTES = 1_000
const server = openForAll(startRedis)
let results: ObservationSender
let queue: Queue

beforeAll(async () => {
  results = new ObservationSender(server.redis, { ...limits, sentBytes: 3 * BYTES })
  queue = new Queue('observations', { connection: server.redis, prefix: REDIS_PREFIX })
})
afterAll(async () => {
  await results.close()
  await queue.close()
})

const message = { payload: 'x'.repeat(BYTES), parts: [], bytes: BYTES }
const send = (times: number) => results.send(Array.from({ length: times }, () => message))

/** Tells whether there is room within the time of two looks. */
const hasRoom = () =>
  Promise.race([results.waitForRoom().then(() => true), setTimeout(600).then(() => false)])

/** Commits the first messages, as the indexer does. */
async function commit(messages: number): Promise<void> {
  const jobs = await queue.getJobs(['waiting'], 0, messages - 1, true)
  for (const job of jobs) await job.remove()
}

test('a crawler with too many unsent bytes waits until some are committed', async () => {
  await send(3)
  expect(await hasRoom()).toBe(true)
  await send(2)
  expect(await hasRoom()).toBe(false)
  await commit(1)
  expect(await hasRoom()).toBe(false)
  await commit(1)
  expect(await hasRoom()).toBe(true)
})

test('a stopped crawler does not wait', async () => {
  await send(5)
  const stop = new AbortController()
  const waiting = results.waitForRoom(stop.signal)
  stop.abort()
  await waiting
})
