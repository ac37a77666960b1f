import type { JobsOptions, WorkerOptions } from 'bullmq'
import { BullMQOtel } from 'bullmq-otel'
import { DAY, SECOND } from '../pipeline/core/clock.ts'
import type { Limits } from '../pipeline/core/limits.ts'
import { REDIS_PREFIX } from './redis.ts'

/** Options of all queues and workers. A job belongs to the trace in which it was added. */
export const queueOptions = {
  prefix: REDIS_PREFIX,
  telemetry: new BullMQOtel({ tracerName: 'registry' }),
}

interface QueueEntry {
  means: string
  /** Jobs one worker process holds at a time. */
  concurrency: number
  options: JobsOptions
}

/** Time for which failed jobs are kept and reported: what they were to do is due again by itself. */
export const FAILED_RETENTION_MS = DAY
const removeDone = {
  removeOnComplete: true,
  removeOnFail: { count: 100, age: FAILED_RETENTION_MS / SECOND },
} as const

/** All queues. Callers that wait for a job are notified of its end by an event. */
export const queues = {
  crawl: {
    means: 'batches of files to fetch, with their validators',
    concurrency: 4,
    options: { ...removeDone, attempts: 3, backoff: { type: 'exponential', delay: 1_000 } },
  },
  observations: {
    means: 'compressed observations of crawled files; a job is done when they are committed',
    concurrency: 200,
    options: { ...removeDone, attempts: 1_000, backoff: { type: 'fixed', delay: 1_000 } },
  },
  live: {
    means: 'API requests for an immediate fetch, which a crawler answers',
    concurrency: 64,
    // Failed jobs are not kept either, since some contain codes, links and credentials of people.
    options: { removeOnComplete: true, removeOnFail: true, attempts: 1 },
  },
  storyboards: {
    means: 'storyboards to run against agents, on request or by schedule; a crawler runs them',
    concurrency: 8,
    options: { ...removeDone, attempts: 1 },
  },
  questions: {
    means: 'read-only requests from the operator to the indexer',
    concurrency: 1,
    options: { ...removeDone, attempts: 1 },
  },
} as const satisfies Record<string, QueueEntry>

export type QueueName = keyof typeof queues

/**
 * Stream of submissions. It is not a BullMQ queue since its one reader takes all waiting entries at
 * once, and a job would cost four writes to the disk of Redis instead of one.
 */
export const SUBMISSIONS = {
  key: `${REDIS_PREFIX}:submissions`,
  /** Submissions per stream entry at most. */
  entriesMax: 10,
  means: 'writes for the sequencer that people requested; removed once committed and answered',
} as const

/** Reason of the failure of a job that was cancelled while it ran. */
export const JOB_CANCELLED = 'cancelled'

/** Sorted set of retained jobs whose result is not stored yet, by the time at which they were requested. */
export const UNRECORDED_JOBS_KEY = `${REDIS_PREFIX}:unrecorded-jobs`

/** Builds the key that marks a job whose caller has given up. */
export function toCancelledKey(jobId: string): string {
  return `${REDIS_PREFIX}:cancelled:${jobId}`
}

/** Builds the channel on which a client receives answers. */
export function toChannel(client: string): string {
  return `${REDIS_PREFIX}:answers:${client}`
}

/**
 * Computes when jobs of a dead worker are taken over: their locks expire, which is checked four
 * times as often. A job may lose many workers without failing.
 */
export function toStalledInterval({ jobLockMs }: Pick<Limits, 'jobLockMs'>) {
  return {
    lockDuration: jobLockMs,
    stalledInterval: Math.ceil(jobLockMs / 4),
    maxStalledCount: 1_000,
  } satisfies Partial<WorkerOptions>
}
