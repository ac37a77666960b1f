import { setImmediate } from 'node:timers/promises'
import { type Job, Worker } from 'bullmq'
import type { Clock } from '../../pipeline/core/clock.ts'
import type { Config } from '../../pipeline/core/config.ts'
import type { Limits } from '../../pipeline/core/limits.ts'
import type { Log } from '../../pipeline/core/log.ts'
import { getEffect, isMissing, outcomes } from '../../pipeline/core/outcomes.ts'
import { crawlEach, createHostLimiter } from '../../pipeline/crawl/crawl-batch.ts'
import { createFetcher } from '../../pipeline/fetch/http.ts'
import { LiveRequest, LiveRequestCaller } from '../../pipeline/model/live/live-request.ts'
import { type Observation, toSourceKey } from '../../pipeline/model/observation.ts'
import { readObservation } from '../../pipeline/parse/read-observation.ts'
import { waitAtMost } from '../api-client/wait-at-most.ts'
import type { CrawlMessage } from '../crawl-messages.ts'
import { CrawlerMetrics } from '../metrics/crawler-metrics.ts'
import type { Role } from '../process-role.ts'
import { queues, REDIS_PREFIX, toStalledInterval } from '../queues.ts'
import { connectRedis } from '../redis.ts'
import { buildFetcherOptions } from './fetcher-options.ts'
import { runLiveRequest } from './live-requests.ts'
import { ObservationSender } from './observation-sender.ts'
import { Outbox } from './outbox.ts'
import { createSharedBuckets } from './shared-buckets.ts'
import { openStoryboardWorker } from './storyboard-jobs.ts'

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
  const crawling = fetcher.for({ kind: 'crawl' })
  const limitHost = createHostLimiter(config.CRAWL_CONCURRENCY)
  const stop = new AbortController()

  const worker = new Worker<CrawlMessage>('crawl', job => crawl(job), {
    connection: crawlJobs,
    prefix: REDIS_PREFIX,
    concurrency: queues.crawl.concurrency,
    ...toStalledInterval(config.LIMITS),
  })
  const liveRequests = new Worker<unknown>(
    'live',
    async ({ data }) =>
      runLiveRequest(LiveRequest.parse(data), LiveRequestCaller.parse(data), {
        fetcher,
        config,
        clock,
      }),
    {
      connection: liveJobs,
      prefix: REDIS_PREFIX,
      concurrency: queues.live.concurrency,
    },
  )
  const storyboards = openStoryboardWorker(
    { jobs: storyboardJobs, commands },
    { fetcher, config, clock, limits: config.LIMITS, protocolName: config.PROTOCOL_NAME },
    stop.signal,
    log,
  )
  liveRequests.on('error', () => undefined)
  liveRequests.on('completed', ({ name }) => metrics.countLiveRequest(name, 'done'))
  liveRequests.on('failed', (job, error) => {
    metrics.countLiveRequest(job?.name ?? 'unknown', 'failed')
    log.warn({ request: job?.name, error: error.message }, 'live request failed')
  })
  worker.on('error', () => undefined)
  worker.on('failed', (_, error) => log.warn({ error: error.message }, 'batch failed'))
  log.info('crawler ready')

  async function crawl(job: Job<CrawlMessage>): Promise<void> {
    const started = performance.now()
    const { targets } = job.data
    const remaining = new Map(targets.map(target => [toSourceKey(target), target]))
    await sender.waitForRoom(stop.signal)
    const counts: Record<string, number> = {}
    const outbox = new Outbox(config.LIMITS.outboxBytes, async observations => {
      await sender.waitForRoom(stop.signal)
      // Removed from the batch before they are sent, so that another crawler that takes over after
      // a crash does not repeat them.
      for (const observation of observations) remaining.delete(toSourceKey(observation))
      await job.updateData({ targets: [...remaining.values()] })
      await sender.send(await sender.pack(await readLarge(observations, config.LIMITS)))
    })
    const deps = {
      // A crawl that a person requested waits for its slot; the nightly crawl comes back later.
      fetcher: job.opts.lifo ? fetcher : crawling,
      clock,
      limits: config.LIMITS,
      protocolName: config.PROTOCOL_NAME,
      limitHost,
      stopping: stop.signal,
    }
    const crawled = crawlEach(targets, deps, observation => {
      metrics.countFile(observation)
      counts[observation.outcome] = (counts[observation.outcome] ?? 0) + 1
      logFailure(observation, log)
      return outbox.put(observation)
    })
    await crawled.finally(() => outbox.close())
    if (remaining.size > 0) throw new Error('stopped before the batch was done')
    const ms = Math.round(performance.now() - started)
    log.info({ targets: targets.length, outcomes: counts, ms }, 'crawled')
  }

  return {
    async close() {
      stop.abort()
      await waitAtMost(
        Promise.all([worker.close(), liveRequests.close(), storyboards.close()]),
        5_000,
      )
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

/** Names a file that could not be read, with its cause; a missing file is no failure. */
function logFailure({ kind, location, outcome, status }: Observation, log: Log): void {
  if (outcome === 'deferred' || isMissing(outcome) || getEffect(outcome) === 'success') return
  log.info({ kind, location, outcome, status }, `not read: ${outcomes[outcome].means}`)
}

/** Size from which a file is parsed in the crawler. */
const LARGE_BYTES = 256 * 1024

/**
 * Parses large files in the crawler. Small ones are parsed by the indexer, so that a single version
 * of the parser decides; a large one would delay other commits there. It is parsed right before
 * sending, since the result is several times its size.
 */
async function readLarge(
  observations: readonly Observation[],
  limits: Limits,
): Promise<Observation[]> {
  const read: Observation[] = []
  for (const observation of observations) {
    const isLarge = (observation.body?.byteLength ?? 0) > LARGE_BYTES
    read.push(isLarge ? readObservation(observation, limits) : observation)
    if (isLarge) await setImmediate()
  }
  return read
}
