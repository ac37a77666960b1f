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

it('an errand that nobody came for in time is run by no crawler that comes later', async () => {
  const redis = await startRedis()
  cleanUp(() => redis.close())
  const desk = openDesk(redis.url, silentLog)
  const waiting = () => redis.redis.llen('registry:errands:wait')
  const refused = (ms: number) =>
    expect(desk.send(errand, ms)).rejects.toMatchObject({ error: 'unavailable' })
  await Promise.all([1, 2, 3].map(() => refused(2_000)))
  await expect.poll(waiting).toBe(0)
  const events = await redis.redis.xrange('registry:errands:events', '-', '+')
  expect(events.filter(([, [, event]]) => event === 'added')).toHaveLength(3)

  const closed = refused(60_000)
  await expect.poll(waiting).toBe(1)
  await desk.close()
  await closed
  expect(await waiting()).toBe(0)
  expect(await redis.redis.keys('registry:errands:*-*-*-*-*')).toEqual([])
})

it('an errand that a crawler is on when its asker gives up ends, and leaves nothing', async () => {
  const redis = await startRedis()
  cleanUp(() => redis.close())
  const desk = openDesk(redis.url, silentLog)
  let end = () => {}
  const held = new Promise<void>(resolve => {
    end = resolve
  })
  let isOn = false
  const crawler = new Worker(
    'errands',
    () => {
      isOn = true
      return held
    },
    { prefix: REDIS_PREFIX, connection: { path: redis.url.slice('unix://'.length) } },
  )
  crawler.on('error', () => undefined)
  const ended = new Promise(resolve => crawler.on('completed', resolve))
  const closed = expect(desk.send(errand, 60_000)).rejects.toMatchObject({ error: 'unavailable' })
  await expect.poll(() => isOn).toBe(true)
  await desk.close()
  await closed
  end()
  await ended
  expect(await redis.redis.keys('registry:errands:*-*-*-*-*')).toEqual([])
  await crawler.close()
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
