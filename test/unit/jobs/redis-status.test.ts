import { expect, test } from 'vitest'
import { watchRedis } from '../../../jobs/api-client/redis-status.ts'
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
