import { setTimeout as pause } from 'node:timers/promises'
import { Queue } from 'bullmq'
import { expect, onTestFinished, test } from 'vitest'
import type { CrawlMessage } from '../../../jobs/crawl-messages.ts'
import { runCrawler } from '../../../jobs/crawler/crawler.ts'
import { queueOptions, queues } from '../../../jobs/queues.ts'
import { systemClock } from '../../../pipeline/core/clock.ts'
import { readConfig } from '../../../pipeline/core/config.ts'
import { silentLog } from '../../../pipeline/core/log.ts'
import { startRedis } from '../../support/processes/redis.ts'
import { type Answer, serveOrigin } from '../../support/servers/origin.ts'

const buildTarget = (location: string) => ({ kind: 'adagents.json' as const, location })

/** Runs a crawler on one batch until the first observations are sent. */
async function crawlFirst(locations: string[], answer: Answer, settings: Record<string, string>) {
  const redis = await startRedis()
  const origin = await serveOrigin(answer)
  const config = readConfig({ CRAWL_CONNECT_TO: origin.url, ...settings })
  const crawler = await runCrawler(config, redis.url, systemClock, silentLog)
  const crawls = new Queue<CrawlMessage>('crawl', { connection: redis.redis, ...queueOptions })
  const observations = new Queue('observations', { connection: redis.redis, ...queueOptions })
  onTestFinished(async () => {
    await crawls.close()
    await observations.close()
    await origin.close()
    await redis.close()
  })
  const targets = locations.map(buildTarget)
  const { id } = await crawls.add('batch', { targets }, queues.crawl.options)
  await expect.poll(() => observations.getWaitingCount(), { timeout: 10_000 }).toBe(1)
  return { crawler, crawls, observations, origin, redis: redis.redis, id: id! }
}

test('a crawler that stops beside a silent host leaves only that file to the next one, at once', async () => {
  const hosts = ['news.example', 'silent.example']
  const { crawler, crawls, id } = await crawlFirst(
    hosts,
    ({ headers }, response) => {
      if (headers.host !== 'silent.example') response.writeHead(404).end()
    },
    {},
  )
  await crawler.close()
  const left = await crawls.getJob(id)
  expect(left?.data.targets).toEqual([buildTarget('silent.example')])
  expect(['waiting', 'delayed']).toContain(await left?.getState())
})

test('a crawler that lost its batch to another one sends and requests no more of it', async () => {
  const hosts = Array.from({ length: 20 }, (_, i) => `news${i}.example`)
  const { crawler, crawls, observations, origin, redis, id } = await crawlFirst(
    hosts,
    (_, response) => void setTimeout(() => response.writeHead(404).end(), 200),
    { CRAWL_CONCURRENCY: '1' },
  )
  await redis.set(`${queueOptions.prefix}:crawl:${id}:lock`, 'another')
  const left = (await crawls.getJob(id))!.data.targets
  await pause(1_500)
  expect(origin.asked.length).toBeLessThan(hosts.length)
  await crawler.close()
  expect((await crawls.getJob(id))!.data.targets).toEqual(left)
  expect(await observations.getWaitingCount()).toBe(1)
})
