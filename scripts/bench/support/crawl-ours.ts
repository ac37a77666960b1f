import { packObservations } from '../../../jobs/crawl-messages.ts'
import { buildFetcherOptions } from '../../../jobs/crawler/fetcher-options.ts'
import { queues } from '../../../jobs/queues.ts'
import type { Redis } from '../../../jobs/redis.ts'
import { systemClock } from '../../../pipeline/core/clock.ts'
import { readConfig } from '../../../pipeline/core/config.ts'
import { silentLog } from '../../../pipeline/core/log.ts'
import { crawlBatch, createHostLimiter } from '../../../pipeline/crawl/crawl-batch.ts'
import { createFetcher } from '../../../pipeline/fetch/http.ts'
import {
  type CrawlTarget,
  fileKinds,
  type Observation,
  toUrl,
} from '../../../pipeline/model/observation.ts'
import { serveParent } from './child.ts'
import type { Slice, SliceRun } from './crawl-slice.ts'

/**
 * Runs the shipped crawler (`crawl`), or only its fetcher (`fetch`), over batches of targets, as
 * many at once as a worker takes; observations are packed as they are sent. Redis is left out:
 * packing uses it only for messages that are too large, and no file here is.
 */
const config = readConfig({ CRAWL_CONNECT_TO: process.argv[2] })
const { LIMITS, CRAWL_CONCURRENCY } = config
const fetcher = createFetcher(buildFetcherOptions(config, systemClock, silentLog)).for({
  kind: 'crawl',
})
const limitHost = createHostLimiter(CRAWL_CONCURRENCY)
const noRedis = {} as Redis
const work = process.argv[3] === 'fetch' ? fetchOnly : crawl

serveParent<Slice, SliceRun>({}, async ({ first, count }) => {
  const targets = buildTargets(first, count)
  const batches: CrawlTarget[][] = []
  for (let at = 0; at < targets.length; at += LIMITS.crawlBatchSources) {
    batches.push(targets.slice(at, at + LIMITS.crawlBatchSources))
  }
  global.gc?.()
  const cpu = process.cpuUsage()
  const started = performance.now()
  const waiting = batches.values()
  let failed = 0
  const worker = async () => {
    for (const batch of waiting) failed += await work(batch)
  }
  await Promise.all(Array.from({ length: queues.crawl.concurrency }, worker))
  const wallMs = performance.now() - started
  const { user, system } = process.cpuUsage(cpu)
  return { fetches: targets.length, wallMs, cpuMs: (user + system) / 1_000, failed }
})

async function crawl(batch: CrawlTarget[]): Promise<number> {
  const observed: Observation[] = await crawlBatch(batch, {
    fetcher,
    clock: systemClock,
    limits: LIMITS,
    protocolName: 'proto',
    limitHost,
  })
  await packObservations(observed, LIMITS.observationMessageBytes, noRedis)
  return observed.filter(({ outcome }) => outcome !== 'ok').length
}

/** Fetches the same files with the shipped fetcher and only parses them with JSON.parse. */
async function fetchOnly(batch: CrawlTarget[]): Promise<number> {
  let failed = 0
  let next = 0
  const worker = async () => {
    while (next < batch.length) {
      // Both files of a domain one after the other, as the crawler fetches them.
      const pair = [batch[next++], batch[next++]].filter(target => target !== undefined)
      for (const target of pair) {
        const fetched = await fetcher.fetchDocument(toUrl(target), {
          maxBytes: LIMITS.adagentsBytes,
          redirects: 'same-site',
          maxRedirects: LIMITS.httpRedirects,
          deadlineMs: LIMITS.fetchMs,
        })
        if (fetched.kind === 'ok') JSON.parse(fetched.body.toString())
        else failed++
      }
    }
  }
  await Promise.all(Array.from({ length: CRAWL_CONCURRENCY }, worker))
  return failed
}

function buildTargets(first: number, count: number): CrawlTarget[] {
  return Array.from({ length: count }, (_, i) => toDomain(first + i)).flatMap(location =>
    fileKinds.map(kind => ({ kind, location })),
  )
}

function toDomain(number: number): string {
  return `d${String(number).padStart(6, '0')}-bench.example`
}
