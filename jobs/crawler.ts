import { setImmediate } from 'node:timers/promises'
import { type Job, Worker } from 'bullmq'
import type { Clock } from '../pipeline/core/clock.ts'
import type { Config } from '../pipeline/core/config.ts'
import type { Limits } from '../pipeline/core/limits.ts'
import type { Log } from '../pipeline/core/log.ts'
import { readSigningKey } from '../pipeline/core/signing-key.ts'
import { crawlEach, hostsAtOnce } from '../pipeline/crawl/crawl-batch.ts'
import { readObservation } from '../pipeline/crawl/read-observation.ts'
import { createFetcher, type FetcherOptions } from '../pipeline/fetch/http.ts'
import { Errand } from '../pipeline/model/errand.ts'
import { type Observation, sourceKey } from '../pipeline/model/observation.ts'
import { settled } from './enqueue.ts'
import { runErrand } from './errands.ts'
import type { CrawlMessage } from './messages.ts'
import { Outbox } from './outbox.ts'
import { queues, REDIS_PREFIX, takeoverOf } from './queues.ts'
import { connectRedis } from './redis.ts'
import { Results } from './results.ts'
import type { Role } from './role.ts'

/**
 * The crawler role: takes batches of files, fetches them and hands back what it saw. It needs no
 * index and no disk. While the sequencer is behind it waits instead of filling Redis.
 */
export async function runCrawler(
  config: Config,
  redisUrl: string,
  clock: Clock,
  log: Log,
): Promise<Role> {
  const connection = connectRedis(redisUrl, 'work', log)
  const working = connectRedis(redisUrl, 'work', log)
  const running = connectRedis(redisUrl, 'work', log)
  const results = new Results(connection, config.LIMITS)
  const fetcher = createFetcher(fetcherOptionsOf(config, clock, log))
  const atOnce = hostsAtOnce(config.CRAWL_CONCURRENCY)
  const stop = new AbortController()

  const worker = new Worker<CrawlMessage>('crawl', job => crawl(job), {
    connection: working,
    prefix: REDIS_PREFIX,
    concurrency: queues.crawl.concurrency,
    ...takeoverOf(config.LIMITS),
  })
  const errands = new Worker<unknown>(
    'errands',
    async ({ data }) => runErrand(Errand.parse(data), { fetcher, config, clock }),
    {
      connection: running,
      prefix: REDIS_PREFIX,
      concurrency: queues.errands.concurrency,
    },
  )
  errands.on('error', () => undefined)
  errands.on('failed', (job, error) =>
    log.warn({ errand: job?.name, error: error.message }, 'errand failed'),
  )
  worker.on('error', () => undefined)
  worker.on('failed', (_, error) => log.warn({ error: error.message }, 'batch failed'))
  log.info('crawler ready')

  async function crawl(job: Job<CrawlMessage>): Promise<void> {
    const started = performance.now()
    const { targets } = job.data
    const left = new Map(targets.map(target => [sourceKey(target), target]))
    await results.room(stop.signal)
    const outcomes: Record<string, number> = {}
    const outbox = new Outbox(config.LIMITS.outboxBytes, async observations => {
      await results.room(stop.signal)
      // First struck off, then sent: whoever takes over after a crash repeats nothing that was sent.
      for (const seen of observations) left.delete(sourceKey(seen))
      await job.updateData({ targets: [...left.values()] })
      await results.send(await results.pack(await readLarge(observations, config.LIMITS)))
    })
    const deps = {
      ...{ fetcher, clock, limits: config.LIMITS, protocolName: config.PROTOCOL_NAME, atOnce },
      signal: stop.signal,
    }
    const crawled = crawlEach(targets, deps, seen => {
      outcomes[seen.outcome] = (outcomes[seen.outcome] ?? 0) + 1
      return outbox.put(seen)
    })
    await crawled.finally(() => outbox.close())
    if (left.size > 0) throw new Error('stopped before the batch was done')
    const ms = Math.round(performance.now() - started)
    log.info({ targets: targets.length, outcomes, ms }, 'crawled')
  }

  return {
    async close() {
      stop.abort()
      await settled(Promise.all([worker.close(), errands.close()]), 5_000)
      await fetcher.close()
      await results.close()
      connection.disconnect()
      working.disconnect()
      running.disconnect()
    },
  }
}

/** How the settings bind the one way out. */
export function fetcherOptionsOf(config: Config, clock: Clock, log: Log): FetcherOptions {
  return {
    connectTo: config.CRAWL_CONNECT_TO,
    caFile: config.CRAWL_CA_FILE,
    dnsServer: config.DNS_SERVER,
    hostConcurrency: config.HOST_CONCURRENCY,
    addressConcurrency: config.ADDRESS_CONCURRENCY,
    contact: config.CRAWL_CONTACT,
    robots: config.ROBOTS,
    signing: signingOf(config),
    limits: config.LIMITS,
    maxIdle: config.CRAWL_CONCURRENCY,
    clock,
    log,
  }
}

/** Sites find the public key where the settings say that the API is. */
function signingOf({ CRAWL_SIGNING_KEY, BASE_URL }: Config): FetcherOptions['signing'] {
  if (CRAWL_SIGNING_KEY === undefined || BASE_URL === undefined) return undefined
  return { key: readSigningKey(CRAWL_SIGNING_KEY), agent: new URL(BASE_URL).origin }
}

const LARGE_BYTES = 256 * 1024

/**
 * A small file is read where its rows are made, so that crawlers are spared the work and one version
 * of the parser rules; a large one here, where it holds up nobody, and no sooner than it is sent: what
 * was read is several times the bytes.
 */
async function readLarge(
  observations: readonly Observation[],
  limits: Limits,
): Promise<Observation[]> {
  const read: Observation[] = []
  for (const seen of observations) {
    const isLarge = (seen.body?.byteLength ?? 0) > LARGE_BYTES
    read.push(isLarge ? readObservation(seen, limits) : seen)
    if (isLarge) await setImmediate()
  }
  return read
}
