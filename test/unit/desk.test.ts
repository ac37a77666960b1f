import { setTimeout } from 'node:timers/promises'
import { Worker } from 'bullmq'
import { expect, it } from 'vitest'
import { openDesk } from '../../jobs/enqueue.ts'
import { REDIS_PREFIX } from '../../jobs/queues.ts'
import type { Domain } from '../../pipeline/core/domain.ts'
import { silentLog } from '../../pipeline/core/log.ts'
import { slowRedis, startRedis } from '../support/redis.ts'
import { cleanUp } from '../support/registry.ts'

it('an errand that is done before the desk listens is heard of all the same', async () => {
  const redis = await startRedis()
  cleanUp(() => redis.close())
  const desk = openDesk(await slowRedis(redis.url, 500, 'xread'), silentLog)
  const crawler = new Worker('errands', () => setTimeout(150, { host: 'reachable' }), {
    ...{ prefix: REDIS_PREFIX, connection: { path: redis.url.slice('unix://'.length) } },
  })
  expect(await desk.send({ errand: 'lookup_host', host: 'acme.example' as Domain })).toEqual({
    host: 'reachable',
  })
  await crawler.close()
  await desk.close()
})
