import { Worker } from 'bullmq'
import type { Clock } from '../../pipeline/core/clock.ts'
import type { Config } from '../../pipeline/core/config.ts'
import type { Log } from '../../pipeline/core/log.ts'
import { readVersion } from '../../pipeline/core/version.ts'
import { createFetcher } from '../../pipeline/fetch/http.ts'
import { LiveRequest, LiveRequestCaller } from '../../pipeline/model/live/live-request.ts'
import { fetchBundles } from '../../pipeline/storyboards/bundles/fetch-bundles.ts'
import { openCatalog } from '../../pipeline/storyboards/catalog.ts'
import { waitAtMost } from '../api-client/wait-at-most.ts'
import type { CrawlMessage } from '../crawl-messages.ts'
import { CrawlerMetrics } from '../metrics/crawler-metrics.ts'
import type { Role } from '../process-role.ts'
import { queueOptions, queues, toStalledInterval } from '../queues.ts'
import { connectRedis, type Redis, waitUntilReady } from '../redis.ts'
import { createCrawl } from './crawl-jobs.ts'
import { buildFetcherOptions } from './fetcher-options.ts'
import { type LiveRequestDeps, runLiveRequest } from './live-requests.ts'
import { ObservationSender } from './observation-sender.ts'
import { createSharedBuckets } from './shared-buckets.ts'
import { openStoryboardWorker } from './storyboard-jobs.ts'

/** Time that a crawler which stops leaves to the requests that are open. */
const OPEN_REQUESTS_MS = 2_000

/**
 * Runs the crawler role: takes batches of sources, fetches them and sends back the observations. It
 * needs no index and no disk, and pauses while the sequencer is behind instead of filling Redis.
 */
export async function runCrawler(
  config: Config,
  redisUrl: string,
  clock: Clock,
  log: Log,
  metrics = new CrawlerMetrics(),
): Promise<Role> {
  const sending = connectRedis(redisUrl, 'waitForever', log)
  const crawlJobs = connectRedis(redisUrl, 'waitForever', log)
  const liveJobs = connectRedis(redisUrl, 'waitForever', log)
  const storyboardJobs = connectRedis(redisUrl, 'waitForever', log)
  const sender = new ObservationSender(sending, config.LIMITS)
  const commands = connectRedis(redisUrl, 'failFast', log, config.LIMITS)
  const buckets = createSharedBuckets(commands, log)
  const fetcher = createFetcher({
    ...buildFetcherOptions(config, clock, log),
    buckets,
    meter: metrics.fetch,
  })
  const bundleFaults = await fetchBundles(config, { fetcher, limits: config.LIMITS, clock })
  for (const fault of new Set([...bundleFaults, ...openCatalog(config)])) log.warn(fault)
  const stop = new AbortController()
  const leave = new AbortController()
  const crawl = createCrawl(
    { fetcher, sender, config, clock, log, metrics },
    { stopping: stop.signal, leaving: leave.signal },
  )
  const worker = new Worker<CrawlMessage>('crawl', crawl, {
    connection: crawlJobs,
    ...queueOptions,
    concurrency: queues.crawl.concurrency,
    ...toStalledInterval(config.LIMITS),
  })
  const liveRequests = openLiveRequestWorker(liveJobs, { fetcher, config, clock }, metrics, log)
  const storyboards = openStoryboardWorker(
    { jobs: storyboardJobs, commands },
    { fetcher, config, clock, limits: config.LIMITS, protocolName: config.PROTOCOL_NAME },
    stop.signal,
    log,
  )
  worker.on('error', () => undefined)
  worker.on('failed', (_, error) => {
    // A crawler that ends leaves the rest of its batch to the next one.
    const level = stop.signal.aborted ? 'info' : 'warn'
    log[level]({ error: error.message }, 'batch failed')
  })
  void waitUntilReady(crawlJobs).then(() => log.info({ version: readVersion() }, 'crawler ready'))

  return {
    async close() {
      stop.abort()
      const leaveLater = setTimeout(() => leave.abort(), OPEN_REQUESTS_MS)
      await waitAtMost(
        Promise.all([worker.close(), liveRequests.close(), storyboards.close()]),
        5_000,
      )
      clearTimeout(leaveLater)
      await fetcher.close()
      await sender.close()
      sending.disconnect()
      crawlJobs.disconnect()
      liveJobs.disconnect()
      storyboardJobs.disconnect()
      commands.disconnect()
    },
  }
}

/** Opens the worker that reads the web for callers who wait for the answer. */
function openLiveRequestWorker(
  connection: Redis,
  deps: LiveRequestDeps,
  metrics: CrawlerMetrics,
  log: Log,
): Worker {
  const worker = new Worker<unknown>(
    'live',
    async ({ data }) =>
      runLiveRequest(LiveRequest.parse(data), LiveRequestCaller.parse(data), deps),
    { connection, ...queueOptions, concurrency: queues.live.concurrency },
  )
  worker.on('error', () => undefined)
  worker.on('completed', ({ name }) => metrics.countLiveRequest(name, 'done'))
  worker.on('failed', (job, error) => {
    metrics.countLiveRequest(job?.name ?? 'unknown', 'failed')
    log.warn({ request: job?.name, error: error.message }, 'live request failed')
  })
  return worker
}
