import { Worker } from 'bullmq'
import type { Log } from '../../pipeline/core/log.ts'
import { LiveRequest, LiveRequestCaller } from '../../pipeline/model/live/live-request.ts'
import type { CrawlerMetrics } from '../metrics/crawler-metrics.ts'
import { queueOptions, queues } from '../queues.ts'
import type { Redis } from '../redis.ts'
import { type LiveRequestDeps, runLiveRequest } from './live-requests.ts'

/** Opens the worker that reads the web for callers who wait for the answer. */
export function openLiveRequestWorker(
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
