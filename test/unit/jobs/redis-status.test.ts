import { expect, test } from 'vitest'
import { readQueueStatus } from '../../../jobs/api-client/queue-status.ts'
import { watchRedis } from '../../../jobs/api-client/redis-status.ts'
import { connectRedis, REDIS_PREFIX } from '../../../jobs/redis.ts'
import { DAY, MINUTE } from '../../../pipeline/core/clock.ts'
import { silentLog } from '../../../pipeline/core/log.ts'
import { findFreePort } from '../../support/processes/command.ts'
import { startRedis } from '../../support/processes/redis.ts'
import { cleanUp } from '../../support/registry/registry.ts'

test('a Redis that answers is not reported as away while the first connection is made', async () => {
  const server = await startRedis()
  cleanUp(() => server.close())
  const watch = watchRedis(server.url, silentLog)
  cleanUp(() => watch.close())
  expect(await watch.read()).toMatchObject({ queues: expect.any(Array) })
})

test('a Redis that nobody runs is reported as away', async () => {
  const watch = watchRedis(`redis://127.0.0.1:${await findFreePort()}`, silentLog)
  cleanUp(() => watch.close())
  expect(await watch.read()).toBeUndefined()
})

test('failed jobs are counted for a day, since their work is due again by itself', async () => {
  const server = await startRedis()
  cleanUp(() => server.close())
  const redis = connectRedis(server.url, 'waitForever', silentLog)
  cleanUp(() => redis.disconnect())
  const key = `${REDIS_PREFIX}:storyboards:failed`
  await redis.zadd(key, Date.now() - DAY - MINUTE, 'old', Date.now() - DAY + MINUTE, 'recent')
  const queues = await readQueueStatus(server.url, silentLog)
  expect(queues?.find(({ name }) => name === 'storyboards')).toMatchObject({ failed: 1 })
})
