import { setImmediate } from 'node:timers/promises'
import type { Job } from 'bullmq'
import type { Clock } from '../../pipeline/core/clock.ts'
import type { Config } from '../../pipeline/core/config.ts'
import type { Limits } from '../../pipeline/core/limits.ts'
import type { Log } from '../../pipeline/core/log.ts'
import { getEffect, isMissing, outcomes } from '../../pipeline/core/outcomes.ts'
import { requireValue } from '../../pipeline/core/present.ts'
import { crawlEach, createHostLimiter } from '../../pipeline/crawl/crawl-batch.ts'
import { waitUnless } from '../../pipeline/crawl/deadline.ts'
import type { Fetcher } from '../../pipeline/fetch/http.ts'
import { type Observation, toSourceKey } from '../../pipeline/model/observation.ts'
import { readObservation } from '../../pipeline/parse/read-observation.ts'
import type { CrawlMessage } from '../crawl-messages.ts'
import type { CrawlerMetrics } from '../metrics/crawler-metrics.ts'
import type { ObservationSender } from './observation-sender.ts'
import { Outbox } from './outbox.ts'

interface CrawlDeps {
  fetcher: Fetcher
  sender: ObservationSender
  config: Config
  clock: Clock
  log: Log
  metrics: CrawlerMetrics
}

/** Signals by which a crawler that stops ends its batches. */
interface Stop {
  /** From now on no file is requested. */
  stopping: AbortSignal
  /** Open requests are no longer waited for: slow hosts must not keep their files from the next crawler. */
  leaving: AbortSignal
}

/**
 * Creates the handler of the crawl queue: it fetches the files of a batch and sends each observation as soon
 * as possible, so that a batch that is stopped loses only its remaining files. A crawler that was suspended for longer than
 * its lock lasts sends nothing more: the list of remaining files belongs to the one that has taken over.
 */
export function createCrawl(
  { fetcher, sender, config, clock, log, metrics }: CrawlDeps,
  { stopping, leaving }: Stop,
): (job: Job<CrawlMessage>) => Promise<void> {
  const { LIMITS: limits, PROTOCOL_NAME: protocolName } = config
  const crawling = fetcher.for({ kind: 'crawl' })
  const limitHost = createHostLimiter(config.CRAWL_CONCURRENCY)
  return async job => {
    const started = performance.now()
    const { targets } = job.data
    const remaining = new Map(targets.map(target => [toSourceKey(target), target]))
    await sender.waitForRoom(stopping)
    const counts: Record<string, number> = {}
    const lost = new AbortController()
    const outbox = new Outbox(limits.outboxBytes, async observations => {
      await sender.waitForRoom(stopping)
      if (!(await job.extendLock(requireValue(job.token, 'token of the job'), limits.jobLockMs))) {
        lost.abort()
        throw new Error('another crawler has taken over the batch')
      }
      // Removed from the batch before they are sent, so that another crawler that takes over after
      // a crash does not repeat them.
      for (const observation of observations) remaining.delete(toSourceKey(observation))
      await job.updateData({ targets: [...remaining.values()] })
      await sender.send(await sender.pack(await readLarge(observations, limits)))
    })
    // A crawl that a person requested waits for its slot; the nightly crawl comes back later.
    const chosen = job.opts.lifo ? fetcher : crawling
    const ending = AbortSignal.any([stopping, lost.signal])
    const deps = { fetcher: chosen, clock, limits, protocolName, limitHost, stopping: ending }
    const crawled = crawlEach(targets, deps, observation => {
      if (leaving.aborted) return
      metrics.countFile(observation)
      counts[observation.outcome] = (counts[observation.outcome] ?? 0) + 1
      logFailure(observation, log)
      return outbox.put(observation)
    })
    await waitUnless(leaving, crawled, undefined).finally(() => outbox.close())
    if (remaining.size > 0) throw new Error('stopped before the batch was done')
    const ms = Math.round(performance.now() - started)
    log.info({ targets: targets.length, outcomes: counts, ms }, 'crawled')
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
