import type { JobsOptions, WorkerOptions } from 'bullmq'
import type { Limits } from '../pipeline/core/limits.ts'

interface QueueEntry {
  means: string
  /** Jobs one worker process holds at a time. */
  concurrency: number
  options: JobsOptions
}

const forgotten = { removeOnComplete: true, removeOnFail: 100 } as const

/** Every queue there is. Who waits for a job hears of its end by its event. Payloads are those of messages.ts. */
export const queues = {
  crawl: {
    means: 'batches of files to fetch, with their validators',
    concurrency: 4,
    options: { ...forgotten, attempts: 3, backoff: { type: 'exponential', delay: 1_000 } },
  },
  observations: {
    means: 'what was found, packed; done when it is committed',
    concurrency: 200,
    options: { ...forgotten, attempts: 1_000, backoff: { type: 'fixed', delay: 1_000 } },
  },
  errands: {
    means: 'what the API wants looked up on the web at once; a crawler answers',
    concurrency: 64,
    options: { ...forgotten, attempts: 1 },
  },
  questions: {
    means: 'what an operator asks of the indexer; nothing is written',
    concurrency: 1,
    options: { ...forgotten, attempts: 1 },
  },
} as const satisfies Record<string, QueueEntry>

export type QueueName = keyof typeof queues

/** Prefix of every key in Redis, so that the registry can share a server. */
export const REDIS_PREFIX = 'registry'

/**
 * A stream, and no queue of jobs: its one reader takes all that waits at once, and a job would cost
 * whoever waits for it four writes to the disk of Redis instead of one.
 */
export const SUBMISSIONS = {
  key: `${REDIS_PREFIX}:submissions`,
  /** How many an entry holds at most. */
  each: 10,
  means: 'what people ask of the sequencer; gone when it is committed and answered',
} as const

/** Where a process that handed in submissions hears the answers. */
export function channelOf(desk: string): string {
  return `${REDIS_PREFIX}:answers:${desk}`
}

/**
 * When the jobs of a worker that died go to another one: its locks run out, and that is looked for
 * four times as often. A job that loses many workers is not to blame for it.
 */
export function takeoverOf({ jobLockMs }: Pick<Limits, 'jobLockMs'>) {
  return {
    lockDuration: jobLockMs,
    stalledInterval: Math.ceil(jobLockMs / 4),
    maxStalledCount: 1_000,
  } satisfies Partial<WorkerOptions>
}
