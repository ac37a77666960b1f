import { randomUUID } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import { Queue, QueueEvents, type QueueEventsListener } from 'bullmq'
import { PublicError } from '../pipeline/core/errors.ts'
import { limits } from '../pipeline/core/limits.ts'
import type { Log } from '../pipeline/core/log.ts'
import type { ErrandAnswers, ErrandName, ErrandOf } from '../pipeline/model/errand.ts'
import type { Answer, Operation, Submission } from '../pipeline/model/submission.ts'
import type { Question } from './questions.ts'
import { type QueueName, queues, REDIS_PREFIX } from './queues.ts'
import { connectRedis, type Redis, whenReady } from './redis.ts'
import { type Patience, SubmissionDesk } from './submission-desk.ts'

const INSPECTION_MS = 600_000
const RETRY_AFTER_S = 5

/** Where writes are handed in, and their answers are awaited. */
export interface Desk {
  /**
   * Resolves when the sequencer has carried out the operation and readers see it. Throws the public
   * error `unavailable` when Redis or the sequencer is away; the operation may still be carried out
   * then, once. `given` says who asks and for which request; under an id of its own it is carried out
   * once however often it is submitted.
   */
  submit(operation: Operation, given?: Partial<Omit<Submission, 'operation'>>): Promise<Answer>
  /** Asks the indexer something; fails as `submit` does. */
  ask<Result>(question: Question): Promise<Result>
  /** Sends a crawler to look something up; `unavailable` when none has answered in time. */
  send<Name extends ErrandName>(errand: ErrandOf<Name>, ms: number): Promise<ErrandAnswers[Name]>
  close(): Promise<void>
}

export function openDesk(redisUrl: string, log: Log, patience: Patience = limits): Desk {
  const asking = connectRedis(redisUrl, 'ask', log, patience)
  const counter = (name: CounterName) =>
    openCounter(name, asking, connectRedis(redisUrl, 'work', log), patience)
  const listening = connectRedis(redisUrl, 'work', log)
  const submissions = new SubmissionDesk({ asking, listening }, patience)
  const questions = counter('questions')
  const errands = counter('errands')
  const answered = async <Result>(job: string, asked: Promise<unknown>) => {
    try {
      return (await asked) as Result
    } catch (error) {
      log.warn({ job, error: messageOf(error) }, 'unanswered')
      throw new PublicError('unavailable', 'the registry cannot take this now; try again', {
        retry_after: RETRY_AFTER_S,
      })
    }
  }
  return {
    submit(operation, given = {}) {
      const submission: Submission = { submission_id: randomUUID(), ...given, operation }
      return answered(operation.op, submissions.submit(submission))
    },
    ask: question => answered(question.ask, questions.hand(question.ask, question, INSPECTION_MS)),
    send: (errand, ms) => answered(errand.errand, errands.hand(errand.errand, errand, ms)),
    async close() {
      submissions.close()
      await Promise.all([questions, errands].map(one => one.close()))
      asking.disconnect()
    },
  }
}

type CounterName = Extract<QueueName, 'questions' | 'errands'>

interface Counter {
  hand(name: string, data: object, ms: number): Promise<unknown>
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
  [completed: `completed:${string}`]: (told: Completed) => void
  [failed: `failed:${string}`]: (told: Failed) => void
}

/**
 * One queue and the events that tell when a job of it is done. Both are opened once Redis is there:
 * opened while it was away they would never recover, and never end.
 */
function openCounter(
  name: CounterName,
  asking: Redis,
  listening: Redis,
  { redisConnectMs }: Patience,
): Counter {
  let opened: Promise<Opened> | undefined
  const closing = new AbortController()
  setMaxListeners(0, closing.signal)
  return {
    async hand(job, data, ms) {
      if (opened === undefined) await settled(whenReady(asking), redisConnectMs)
      if (asking.status !== 'ready') throw new Error('redis is away')
      opened ??= open(name, asking, listening).catch(error => {
        opened = undefined
        throw error
      })
      const { queue, events } = await opened
      const jobId = randomUUID()
      return endOf(jobId, events, {
        ...{ ms, signal: closing.signal },
        handIn: () => queue.add(job, data, { ...queues[name].options, jobId }),
        takeBack: () => queue.remove(jobId),
      })
    },
    async close() {
      closing.abort()
      const closed = opened?.then(({ queue, events }) =>
        Promise.all([queue.close(), events.close()]),
      )
      if (closed !== undefined) await settled(closed)
      listening.disconnect()
    },
  }
}

interface Handing {
  ms: number
  signal: AbortSignal
  handIn(): Promise<unknown>
  takeBack(): Promise<unknown>
}

/**
 * What the job comes to. It is listened for before it is handed in, so that it cannot end unheard. When
 * nobody waits for it any more it is taken back: or all that was asked while nobody worked would be
 * done at once by whoever comes first.
 */
async function endOf(
  jobId: string,
  events: QueueEvents,
  { ms, signal, handIn, takeBack }: Handing,
): Promise<unknown> {
  const [completed, failed] = [`completed:${jobId}`, `failed:${jobId}`] as const
  let late: NodeJS.Timeout | undefined
  let stop = () => {}
  try {
    return await new Promise((resolve, reject) => {
      const fail = (why: string) => reject(new Error(why))
      events.once<OfJob>(completed, (told: Completed) => resolve(told.returnvalue))
      events.once<OfJob>(failed, (told: Failed) => fail(told.failedReason))
      const handed = handIn()
      const giveUp = (why: string) => {
        fail(why)
        handed.then(takeBack, takeBack).catch(() => undefined)
      }
      stop = () => giveUp('the desk is closed')
      signal.addEventListener('abort', stop)
      late = setTimeout(giveUp, ms, 'nobody answered in time')
      handed.catch(reject)
    })
  } finally {
    clearTimeout(late)
    signal.removeEventListener('abort', stop)
    for (const event of [completed, failed]) events.removeAllListeners(event)
  }
}

/** Events are read from the last one on, not from when the reading begins: none is missed between. */
async function open(name: CounterName, asking: Redis, listening: Redis): Promise<Opened> {
  const shared = { prefix: REDIS_PREFIX }
  const queue = new Queue(name, { ...shared, connection: asking, skipWaitingForReady: true })
  const [last] = await asking.xrevrange(queue.toKey('events'), '+', '-', 'COUNT', 1)
  const lastEventId = last?.[0] ?? '0-0'
  const events = new QueueEvents(name, { ...shared, connection: listening, lastEventId })
  queue.setMaxListeners(0).on('error', () => undefined)
  events.setMaxListeners(0).on('error', () => undefined)
  return { queue, events }
}

/** Closing waits for Redis for ever when that is dead: give it a moment, no more. */
export async function settled(work: Promise<unknown>, ms = 2_000): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const enough = new Promise(resolve => {
    timer = setTimeout(resolve, ms)
  })
  await Promise.race([work.catch(() => undefined), enough])
  clearTimeout(timer)
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
