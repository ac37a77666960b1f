import { randomUUID } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import type { Queue, QueueEvents, QueueEventsListener } from 'bullmq'
import { HOUR, type Instant, SECOND } from '../../pipeline/core/clock.ts'
import {
  JOB_CANCELLED,
  type QueueName,
  queueOptions,
  queues,
  toCancelledKey,
  UNRECORDED_JOBS_KEY,
} from '../queues.ts'
import { REDIS_PREFIX, type Redis, waitUntilReady } from '../redis.ts'
import type { ClientTimeouts } from './submission-client.ts'
import { waitAtMost } from './wait-at-most.ts'

/** Time for which a cancelled job is remembered: longer than any job runs. */
const CANCELLED_S = 600

/** A job that others may look up while it runs, and for an hour after its end. */
export interface JobHandle {
  id: string
  /** Runs once the job is in the queue. */
  onQueued(): void
}

/** State of a retained job. */
export interface FoundJob {
  data: unknown
  status: 'queued' | 'running' | 'completed' | 'cancelled' | 'failed'
  /** Last progress that its crawler reported; absent before the first report. */
  progress?: unknown
  /** Its answer, once it is completed. */
  answer?: unknown
  queued_at: Instant
}

/** Queues whose jobs somebody waits for. */
export type RpcQueueName = Extract<QueueName, 'questions' | 'live' | 'storyboards'>

/** A queue of requests: adds a job, and returns the value that its worker returned. */
export interface RpcQueue {
  /** Adds a job and waits at most `ms` for its end; fails when it failed, was aborted, or took too long. */
  request(
    name: string,
    data: object,
    ms: number,
    signal?: AbortSignal,
    handle?: JobHandle,
  ): Promise<unknown>
  find(id: string): Promise<FoundJob | undefined>
  cancel(id: string): Promise<void>
  close(): Promise<unknown>
}

interface OpenQueue {
  queue: Queue
  events: QueueEvents
}

type Completed = { returnvalue: unknown }
type Failed = { failedReason: string }

/** Listeners for the events of one job. */
interface JobListeners extends QueueEventsListener {
  [completed: `completed:${string}`]: (event: Completed) => void
  [failed: `failed:${string}`]: (event: Failed) => void
}

/**
 * Opens a queue and the events of its jobs on first use, once Redis is connected: opened earlier
 * they would neither recover nor close. A process that asks nothing loads no queue and keeps no connection for it.
 */
export function openRpcQueue(
  name: RpcQueueName,
  commands: Redis,
  connectSubscriber: () => Redis,
  { redisConnectMs }: ClientTimeouts,
): RpcQueue {
  let opened: Promise<OpenQueue> | undefined
  let subscriber: Redis | undefined
  const closing = new AbortController()
  setMaxListeners(0, closing.signal)
  const ensureOpen = async () => {
    if (opened === undefined) await waitAtMost(waitUntilReady(commands), redisConnectMs)
    if (commands.status !== 'ready') throw new Error('Cannot reach Redis')
    subscriber ??= connectSubscriber()
    opened ??= openQueue(name, commands, subscriber).catch(error => {
      opened = undefined
      throw error
    })
    return opened
  }
  return {
    async request(job, data, ms, signal, handle) {
      const { queue, events } = await ensureOpen()
      const jobId = handle?.id ?? randomUUID()
      const callerSignals = signal ? [signal] : []
      return waitForEnd(jobId, events, {
        ms,
        // A retained job continues without this process, since others may ask for its result.
        signal: AbortSignal.any(handle ? callerSignals : [closing.signal, ...callerSignals]),
        leaving: closing.signal,
        async enqueue() {
          await queue.add(job, data, {
            ...queues[name].options,
            ...(handle && retainedJobOptions),
            jobId,
          })
          if (handle === undefined) return
          await commands.zadd(UNRECORDED_JOBS_KEY, String(Date.now()), jobId)
          handle.onQueued()
        },
        withdraw: () => cancelJob(queue, jobId, commands),
      })
    },
    async find(id) {
      const { queue } = await ensureOpen()
      return findJob(queue, id)
    },
    async cancel(id) {
      const { queue } = await ensureOpen()
      await cancelJob(queue, id, commands)
    },
    async close() {
      closing.abort('the client is closed')
      const closed = opened?.then(({ queue, events }) =>
        Promise.all([queue.close(), events.close()]),
      )
      if (closed !== undefined) await waitAtMost(closed)
      subscriber?.disconnect()
    },
  }
}

/** Retention of a finished job that others may look up. */
const retention = { age: HOUR / SECOND, count: 1_000 }
/** Options of a job that is kept after its end. */
const retainedJobOptions = { removeOnComplete: retention, removeOnFail: retention }

async function findJob(queue: Queue, id: string): Promise<FoundJob | undefined> {
  const job = await queue.getJob(id)
  if (job === undefined) return undefined
  const state = await job.getState()
  const hasProgress = typeof job.progress === 'object'
  return {
    data: job.data,
    status: toJobStatus(state, job.failedReason),
    ...(hasProgress && { progress: job.progress }),
    ...(state === 'completed' && { answer: job.returnvalue }),
    queued_at: job.timestamp,
  }
}

function toJobStatus(state: string, failedReason: string | undefined): FoundJob['status'] {
  if (state === 'completed') return 'completed'
  if (state === 'failed') return failedReason === JOB_CANCELLED ? 'cancelled' : 'failed'
  return state === 'active' ? 'running' : 'queued'
}

/** Cancels a job. If a crawler is already running it, a key in Redis tells the crawler to stop. */
async function cancelJob(queue: Queue, jobId: string, commands: Redis): Promise<void> {
  await commands.set(toCancelledKey(jobId), '1', 'EX', CANCELLED_S)
  await queue.remove(jobId)
}

interface PendingJob {
  ms: number
  /** Aborted when nobody wants the job anymore. */
  signal: AbortSignal
  /** Aborted when this process waits no longer, whatever becomes of the job. */
  leaving: AbortSignal
  enqueue(): Promise<unknown>
  withdraw(): Promise<unknown>
}

/**
 * Waits for the end of a job. Listens before the job is added, so that its end is not missed. A job
 * that timed out is removed, so that no crawler runs it in vain.
 */
async function waitForEnd(
  jobId: string,
  events: QueueEvents,
  { ms, signal, leaving, enqueue, withdraw }: PendingJob,
): Promise<unknown> {
  const [completed, failed] = [`completed:${jobId}`, `failed:${jobId}`] as const
  let timer: NodeJS.Timeout | undefined
  let stop = () => {}
  let leave = () => {}
  try {
    return await new Promise((resolve, reject) => {
      const fail = (reason: string) => reject(new Error(reason))
      events.once<JobListeners>(completed, (event: Completed) => resolve(event.returnvalue))
      events.once<JobListeners>(failed, (event: Failed) => fail(event.failedReason))
      const enqueued = enqueue()
      const abandon = (reason: string) => {
        fail(reason)
        enqueued.then(withdraw, withdraw).catch(() => undefined)
      }
      stop = () => abandon(String(signal.reason))
      leave = () => fail(String(leaving.reason))
      leaving.addEventListener('abort', leave)
      if (signal.aborted) stop()
      else signal.addEventListener('abort', stop)
      timer = setTimeout(abandon, ms, 'no answer in time')
      enqueued.catch(reject)
    })
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', stop)
    leaving.removeEventListener('abort', leave)
    for (const event of [completed, failed]) events.removeAllListeners(event)
  }
}

/** Opens a queue. Its events are read from the last one on, so that none is missed before the listener starts. */
async function openQueue(
  name: RpcQueueName,
  commands: Redis,
  subscriber: Redis,
): Promise<OpenQueue> {
  const { Queue, QueueEvents } = await import('bullmq')
  const queue = new Queue(name, {
    ...queueOptions,
    connection: commands,
    skipWaitingForReady: true,
  })
  const [last] = await commands.xrevrange(queue.toKey('events'), '+', '-', 'COUNT', 1)
  const lastEventId = last?.[0] ?? '0-0'
  const events = new QueueEvents(name, {
    prefix: REDIS_PREFIX,
    connection: subscriber,
    lastEventId,
  })
  queue.setMaxListeners(0).on('error', () => undefined)
  events.setMaxListeners(0).on('error', () => undefined)
  return { queue, events }
}
