import { Queue } from 'bullmq'
import { expect, onTestFinished, test } from 'vitest'
import type { CrawlMessage } from '../../../jobs/crawl-messages.ts'
import { runCrawler } from '../../../jobs/crawler/crawler.ts'
import { queueOptions, queues } from '../../../jobs/queues.ts'
import { systemClock } from '../../../pipeline/core/clock.ts'
import { readConfig } from '../../../pipeline/core/config.ts'
import { silentLog } from '../../../pipeline/core/log.ts'
import { startRedis } from '../../support/processes/redis.ts'
import { serveOrigin } from '../../support/servers/origin.ts'

const buildTarget = (location: string) => ({ kind: 'adagents.json' as const, location })

test('a crawler that stops beside a silent host leaves only that file to the next one, at once', async () => {
  const redis = await startRedis()
  const origin = await serveOrigin(({ headers }, response) => {
    if (headers.host !== 'silent.example') response.writeHead(404).end()
  })
  const config = readConfig({ CRAWL_CONNECT_TO: origin.url })
  const crawler = await runCrawler(config, redis.url, systemClock, silentLog)
  const crawls = new Queue<CrawlMessage>('crawl', { connection: redis.redis, ...queueOptions })
  const observations = new Queue('observations', { connection: redis.redis, ...queueOptions })
  onTestFinished(async () => {
    await crawls.close()
    await observations.close()
    await origin.close()
    await redis.close()
  })
  const targets = ['news.example', 'silent.example'].map(buildTarget)
  const { id } = await crawls.add('batch', { targets }, queues.crawl.options)
  await expect.poll(() => observations.getWaitingCount()).toBe(1)
  await crawler.close()
  const left = await crawls.getJob(id!)
  expect(left?.data.targets).toEqual([buildTarget('silent.example')])
  expect(['waiting', 'delayed']).toContain(await left?.getState())
})
