import { expect, test } from 'vitest'
import { assertRedisAnswers, connectRedis } from '../../../jobs/redis.ts'
import { runWithin } from '../../support/checks/measured-work.ts'
import { startRedis } from '../../support/processes/redis.ts'
import { createRecordingLog } from '../../support/registry/recording-log.ts'
import { cleanUp } from '../../support/registry/registry.ts'

/** Port 1 of this machine, where nothing listens. */
const NOWHERE = 'redis://user:secret@127.0.0.1:1'

test('a command is told within three seconds that Redis is away, without its password', async () => {
  const sentinel = 'redis+sentinel://:secret@127.0.0.1:1/registry?sentinel_password=secret'
  await runWithin(3_000, async () => {
    await expect(assertRedisAnswers(NOWHERE, 500)).rejects.toThrow(
      'Redis does not answer at redis://…@127.0.0.1:1: start it, then try again',
    )
    await expect(assertRedisAnswers(sentinel, 100)).rejects.toThrow(
      'at redis+sentinel://…@127.0.0.1:1/registry: start it',
    )
  })
  const redis = await startRedis()
  cleanUp(() => redis.close())
  await assertRedisAnswers(redis.url, 5_000)
})

test('a process says once that it cannot reach the Redis of REDIS_URL, however many connections it has', async () => {
  const { log, said } = createRecordingLog()
  const connections = [1, 2, 3].map(() => connectRedis(NOWHERE, 'waitForever', log))
  await Promise.all(connections.map(redis => new Promise(resolve => redis.once('error', resolve))))
  for (const redis of connections) redis.disconnect()
  const lines = said.filter(line => line.includes('Cannot reach Redis'))
  expect(lines).toEqual([expect.stringContaining('"REDIS_URL":"redis://…@127.0.0.1:1"')])
})
