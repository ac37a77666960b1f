import { randomUUID } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import { Queue, QueueEvents, type QueueEventsListener } from 'bullmq'
import { HOUR, type Instant, SECOND } from '../../pipeline/core/clock.ts'
import { PublicError } from '../../pipeline/core/errors.ts'
import { limits } from '../../pipeline/core/limits.ts'
import type { Log } from '../../pipeline/core/log.ts'
import type {
  LiveRequestAnswers,
  LiveRequestName,
  LiveRequestOf,
} from '../../pipeline/model/live/live-request.ts'
import type {
  StoryboardAnswers,
  StoryboardJobKind,
  StoryboardJobOf,
} from '../../pipeline/model/storyboard-run.ts'
import type { Answer, Operation, Submission } from '../../pipeline/model/submission.ts'
import type { Question } from '../indexer/questions.ts'
import { JOB_CANCELLED, type QueueName, queues, REDIS_PREFIX, toCancelledKey } from '../queues.ts'
import { connectRedis, type Redis, waitUntilReady } from '../redis.ts'
import { type ClientTimeouts, SubmissionClient } from './submission-client.ts'

const INSPECTION_MS = 600_000
const RETRY_AFTER_S = 5
/** Longer than any job runs. */
const CANCELLED_S = 600

/** A job that others may look up while it runs, and for an hour after its end. */
export interface JobHandle {
  id: string
  /** Runs once the job is in the queue. */
  onQueued(): void
}

/** A kept job as it stands. */
export interface FoundJob {
  data: unknown
  status: 'queued' | 'running' | 'completed' | 'cancelled' | 'failed'
  /** The last that its crawler reported; absent before the first report. */
  progress?: unknown
  /** Its answer, once it is completed. */
  answer?: unknown
  queued_at: Instant
}

/** Submits writes to the sequencer and awaits their answers. */
export interface WriterClient {
  /**
   * Resolves when the operation is committed and readers see it. Throws the public error
   * `unavailable` when Redis or the sequencer is unavailable; the operation may still be carried
   * out later, once. `meta` names the caller and the request; a submission with an id is carried
   * out once however often it is sent.
   */
  submit(operation: Operation, meta?: Partial<Omit<Submission, 'operation'>>): Promise<Answer>
  /** Asks the indexer something; fails as `submit` does. */
  ask<Result>(question: Question): Promise<Result>
  /**
   * Requests an immediate fetch by a crawler; throws `unavailable` when none answered in time. The requests
   * that this causes are counted for the caller, if one is given.
   */
  requestLive<Name extends LiveRequestName>(
    request: LiveRequestOf<Name>,
    ms: number,
    caller?: string,
  ): Promise<LiveRequestAnswers[Name]>
  /**
   * Runs a storyboard on a crawler; throws `unavailable` when none answered in time. When the signal is
   * aborted nobody waits any more, and the crawler stops.
   */
  runStoryboard<Kind extends StoryboardJobKind>(
    job: StoryboardJobOf<Kind>,
    options: { ms: number; signal: AbortSignal; handle?: JobHandle },
  ): Promise<StoryboardAnswers[Kind]>
  /** Finds a kept job by its id, for as long as it is kept; fails as `runStoryboard` does. */
  findStoryboardJob(id: string): Promise<FoundJob | undefined>
  /** Ends a kept job. */
  cancelStoryboardJob(id: string): Promise<void>
  close(): Promise<void>
}

export function openWriterClient(
  redisUrl: string,
  log: Log,
  timeouts: ClientTimeouts = limits,
): WriterClient {
  const commands = connectRedis(redisUrl, 'ask', log, timeouts)
  const openQueue = (name: RpcQueueName) =>
    openRpcQueue(name, commands, connectRedis(redisUrl, 'work', log), timeouts)
  const listening = connectRedis(redisUrl, 'work', log)
  const submissions = new SubmissionClient({ commands, listening }, timeouts)
  const questions = openQueue('questions')
  const liveRequests = openQueue('live')
  const storyboards = openQueue('storyboards')
  const answered = async <Result>(job: string, reply: Promise<unknown>) => {
    try {
      return (await reply) as Result
    } catch (error) {
      log.warn({ job, error: getMessage(error) }, 'unanswered')
      throw new PublicError(
        'unavailable',
        'the registry cannot accept this at the moment; try again',
        {
          retry_after: RETRY_AFTER_S,
        },
      )
    }
  }
  return {
    submit(operation, meta = {}) {
      const submission: Submission = { submission_id: randomUUID(), ...meta, operation }
      return answered(operation.op, submissions.submit(submission))
    },
    ask: question =>
      answered(question.ask, questions.request(question.ask, question, INSPECTION_MS)),
    requestLive: (request, ms, caller) =>
      answered(
        request.kind,
        liveRequests.request(
          request.kind,
          caller === undefined ? request : { ...request, caller },
          ms,
        ),
      ),
    runStoryboard: (job, { ms, signal, handle }) =>
      answered(`storyboard ${job.kind}`, storyboards.request(job.kind, job, ms, signal, handle)),
    findStoryboardJob: id => answered('storyboard found', storyboards.find(id)),
    cancelStoryboardJob: id => answered('storyboard cancelled', storyboards.cancel(id)),
    async close() {
      submissions.close()
      await Promise.all([questions, liveRequests, storyboards].map(queue => queue.close()))
      commands.disconnect()
    },
  }
}

type RpcQueueName = Extract<QueueName, 'questions' | 'live' | 'storyboards'>

interface RpcQueue {
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

interface Opened {
  queue: Queue
  events: QueueEvents
}

type Completed = { returnvalue: unknown }
type Failed = { failedReason: string }

/** Events of one job. */
interface OfJob extends QueueEventsListener {
  [completed: `completed:${string}`]: (event: Completed) => void
  [failed: `failed:${string}`]: (event: Failed) => void
}

/**
 * Opens a queue and the events of its jobs on first use, once Redis is connected: opened earlier
 * they would neither recover nor close.
 */
function openRpcQueue(
  name: RpcQueueName,
  commands: Redis,
  listening: Redis,
  { redisConnectMs }: ClientTimeouts,
): RpcQueue {
  let opened: Promise<Opened> | undefined
  const closing = new AbortController()
  setMaxListeners(0, closing.signal)
  const ensureOpen = async () => {
    if (opened === undefined) await waitAtMost(waitUntilReady(commands), redisConnectMs)
    if (commands.status !== 'ready') throw new Error('redis is away')
    opened ??= open(name, commands, listening).catch(error => {
      opened = undefined
      throw error
    })
    return opened
  }
  return {
    async request(job, data, ms, signal, handle) {
      const { queue, events } = await ensureOpen()
      const jobId = handle?.id ?? randomUUID()
      return waitForEnd(jobId, events, {
        ms,
        signal: signal ? AbortSignal.any([closing.signal, signal]) : closing.signal,
        async enqueue() {
          await queue.add(job, data, { ...queues[name].options, ...(handle && keepingJob), jobId })
          handle?.onQueued()
        },
        withdraw: () => withdraw(queue, jobId, commands),
      })
    },
    async find(id) {
      const { queue } = await ensureOpen()
      return findJob(queue, id)
    },
    async cancel(id) {
      const { queue } = await ensureOpen()
      await withdraw(queue, id, commands)
    },
    async close() {
      closing.abort('the client is closed')
      const closed = opened?.then(({ queue, events }) =>
        Promise.all([queue.close(), events.close()]),
      )
      if (closed !== undefined) await waitAtMost(closed)
      listening.disconnect()
    },
  }
}

const retention = { age: HOUR / SECOND, count: 1_000 }
/** Options of a job that is kept after its end. */
const keepingJob = { removeOnComplete: retention, removeOnFail: retention }

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

/** Withdraws a request. A crawler that has already taken the job learns by a key that nobody waits for it. */
async function withdraw(queue: Queue, jobId: string, commands: Redis): Promise<void> {
  await commands.set(toCancelledKey(jobId), '1', 'EX', CANCELLED_S)
  await queue.remove(jobId)
}

interface PendingJob {
  ms: number
  signal: AbortSignal
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
  { ms, signal, enqueue: handIn, withdraw: takeBack }: PendingJob,
): Promise<unknown> {
  const [completed, failed] = [`completed:${jobId}`, `failed:${jobId}`] as const
  let timer: NodeJS.Timeout | undefined
  let stop = () => {}
  try {
    return await new Promise((resolve, reject) => {
      const fail = (reason: string) => reject(new Error(reason))
      events.once<OfJob>(completed, (event: Completed) => resolve(event.returnvalue))
      events.once<OfJob>(failed, (event: Failed) => fail(event.failedReason))
      const enqueued = handIn()
      const abandon = (reason: string) => {
        fail(reason)
        enqueued.then(takeBack, takeBack).catch(() => undefined)
      }
      stop = () => abandon(String(signal.reason))
      if (signal.aborted) stop()
      else signal.addEventListener('abort', stop)
      timer = setTimeout(abandon, ms, 'no answer in time')
      enqueued.catch(reject)
    })
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', stop)
    for (const event of [completed, failed]) events.removeAllListeners(event)
  }
}

/** Reads events from the last one on, so that none is missed before the listener starts. */
async function open(name: RpcQueueName, commands: Redis, listening: Redis): Promise<Opened> {
  const shared = { prefix: REDIS_PREFIX }
  const queue = new Queue(name, { ...shared, connection: commands, skipWaitingForReady: true })
  const [last] = await commands.xrevrange(queue.toKey('events'), '+', '-', 'COUNT', 1)
  const lastEventId = last?.[0] ?? '0-0'
  const events = new QueueEvents(name, { ...shared, connection: listening, lastEventId })
  queue.setMaxListeners(0).on('error', () => undefined)
  events.setMaxListeners(0).on('error', () => undefined)
  return { queue, events }
}

/** Waits for a promise, but only so long: closing a connection to a dead Redis would never end. */
export async function waitAtMost(promise: Promise<unknown>, ms = 2_000): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise(resolve => {
    timer = setTimeout(resolve, ms)
  })
  await Promise.race([promise.catch(() => undefined), timeout])
  clearTimeout(timer)
}

export function getMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
