import { setTimeout } from 'node:timers/promises'
import { Worker } from 'bullmq'
import { expect, it } from 'vitest'
import { openDesk } from '../../jobs/enqueue.ts'
import { REDIS_PREFIX } from '../../jobs/queues.ts'
import type { Domain } from '../../pipeline/core/domain.ts'
import { silentLog } from '../../pipeline/core/log.ts'
import { slowRedis, startRedis } from '../support/redis.ts'
import { cleanUp } from '../support/registry.ts'

const errand = { errand: 'lookup_host', host: 'acme.example' as Domain } as const

it('an errand that is done before the desk listens is heard of all the same', async () => {
  const redis = await startRedis()
  cleanUp(() => redis.close())
  const desk = openDesk(await slowRedis(redis.url, 500, 'xread'), silentLog)
  const crawler = new Worker('errands', () => setTimeout(150, { host: 'reachable' }), {
    ...{ prefix: REDIS_PREFIX, connection: { path: redis.url.slice('unix://'.length) } },
  })
  expect(await desk.send(errand, 20_000)).toEqual({ host: 'reachable' })
  await crawler.close()
  await desk.close()
})

it('an errand under which Redis is lost is refused to who asked, and ends nothing else', async () => {
  const redis = await startRedis()
  cleanUp(() => redis.close())
  const desk = openDesk(await slowRedis(redis.url, 1_000, 'errands:failed'), silentLog)
  const asked = desk.send(errand, 4_000)
  await expect.poll(() => redis.redis.llen('registry:errands:wait')).toBe(1)
  await redis.stop()
  await expect(asked).rejects.toMatchObject({ error: 'unavailable' })
  await desk.close()
})
