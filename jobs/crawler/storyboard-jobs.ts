import { createHash } from 'node:crypto'
import { Worker } from 'bullmq'
import { SECOND } from '../../pipeline/core/clock.ts'
import type { Config } from '../../pipeline/core/config.ts'
import type { Log } from '../../pipeline/core/log.ts'
import { isLoopback } from '../../pipeline/core/loopback.ts'
import {
  StoryboardJob,
  type StoryboardProgress,
} from '../../pipeline/model/storyboards/storyboard-job.ts'
import { type JobDeps, runStoryboardJob } from '../../pipeline/storyboards/run-job.ts'
import { createOpenInbox } from '../api-client/webhook-inboxes.ts'
import {
  JOB_CANCELLED,
  queueOptions,
  queues,
  toCancelledKey,
  toStalledInterval,
} from '../queues.ts'
import type { Redis } from '../redis.ts'

/** Interval in which a job is checked for its cancellation. */
const CANCEL_POLL_MS = SECOND / 2

/**
 * Runs the storyboards that callers requested. A run ends early when its caller disconnects, or when this
 * crawler closes.
 */
export function openStoryboardWorker(
  { jobs, commands }: { jobs: Redis; commands: Redis },
  deps: Omit<JobDeps, 'signal' | 'report'>,
  stopping: AbortSignal,
  log: Log,
): Worker {
  const base = findInboxBase(deps.config)
  const openInbox = base === undefined ? {} : { openInbox: createOpenInbox(commands, base) }
  const worker = new Worker<unknown>(
    'storyboards',
    async running => {
      const { id = '', data } = running
      const job = StoryboardJob.parse(data)
      const fetcher = deps.fetcher.for({ kind: 'caller', caller: toCallerId(job.caller) })
      const cancelled = watchCancelled(id, commands)
      const signal = AbortSignal.any([stopping, cancelled.signal])
      try {
        const report = (progress: StoryboardProgress) => {
          // Without Redis nobody can read the progress either.
          running.updateProgress(progress).catch(() => undefined)
        }
        const answer = await runStoryboardJob(job, {
          ...deps,
          ...openInbox,
          fetcher,
          signal,
          report,
        })
        if (cancelled.signal.aborted) throw new Error(JOB_CANCELLED)
        return answer
      } finally {
        cancelled.close()
      }
    },
    {
      connection: jobs,
      ...queueOptions,
      concurrency: queues.storyboards.concurrency,
      ...toStalledInterval(deps.limits),
      // A run is never repeated: before its crawler died, it may already have bought something.
      maxStalledCount: 0,
    },
  )
  worker.on('error', () => undefined)
  worker.on('failed', (job, error) => {
    const level = stopping.aborted ? 'info' : 'warn'
    log[level]({ job: job?.name, error: error.message }, 'storyboard failed')
  })
  return worker
}

/**
 * Finds the address below which agents reach this registry: its public one, or in the demo, whose agents are
 * on this machine, its port. Undefined where no agent could post anything.
 */
function findInboxBase({ BASE_URL, CRAWL_CONNECT_TO, PORT }: Config): string | undefined {
  const base = BASE_URL ?? `http://127.0.0.1:${PORT}`
  const isReached = !isLoopback(new URL(base).hostname) || CRAWL_CONNECT_TO !== undefined
  return isReached ? new URL(base).origin : undefined
}

/** Watches a job and aborts its signal once it is cancelled. Without Redis nothing is cancelled. */
function watchCancelled(jobId: string, commands: Redis): { signal: AbortSignal; close(): void } {
  const cancelled = new AbortController()
  const timer = setInterval(() => {
    commands.exists(toCancelledKey(jobId)).then(
      found => {
        if (found > 0) cancelled.abort()
      },
      () => undefined,
    )
  }, CANCEL_POLL_MS)
  return { signal: cancelled.signal, close: () => clearInterval(timer) }
}

/**
 * Hashes the address of a caller: requests are counted by it, and personal data is not passed on.
 */
function toCallerId(caller: string): string {
  return createHash('sha256').update(caller).digest('base64url').slice(0, 16)
}
