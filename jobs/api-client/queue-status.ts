import type { Queue } from 'bullmq'
import { systemClock } from '../../pipeline/core/clock.ts'
import { limits } from '../../pipeline/core/limits.ts'
import type { Log } from '../../pipeline/core/log.ts'
import { FAILED_RETENTION_MS, type QueueName, queues, SUBMISSIONS } from '../queues.ts'
import { connectRedis, REDIS_PREFIX, type Redis, waitUntilReady } from '../redis.ts'

/** Jobs of a queue and the processes that work on it. */
export interface QueueStatus {
  name: QueueName | 'submissions'
  waiting: number
  active: number
  /** Jobs that failed for good within a day, of the last hundred. */
  failed: number
  /** Processes that take jobs of this queue; null for the stream of submissions. */
  workers: number | null
}

/** Reads the state of every queue; undefined where Redis does not answer in time. */
export async function readQueueStatus(
  redisUrl: string,
  log: Log,
): Promise<QueueStatus[] | undefined> {
  const redis = connectRedis(redisUrl, 'failFast', log)
  try {
    await limitWait(waitUntilReady(redis), limits.redisAnswerMs)
    return await new QueueReader(redis).read()
  } catch (error) {
    log.debug({ error: String(error) }, 'the queues could not be read')
    return undefined
  } finally {
    redis.disconnect()
  }
}

/** Reads the state of every queue over a connection that is kept. */
export class QueueReader {
  readonly #redis: Redis
  #queues: Promise<Queue[]> | undefined

  constructor(redis: Redis) {
    this.#redis = redis
  }

  /** Reads the queues; fails without a connection. */
  async read(): Promise<QueueStatus[]> {
    if (this.#redis.status !== 'ready') throw new Error('no connection to Redis')
    this.#queues ??= openQueues(this.#redis)
    const states = await Promise.all(
      (await this.#queues).map(queue => readQueue(queue, this.#redis)),
    )
    const waiting = await this.#redis.xlen(SUBMISSIONS.key)
    return [...states, { name: 'submissions', waiting, active: 0, failed: 0, workers: null }]
  }
}

/** Opens every queue for reading over one connection. Loads what they take here: `start` needs it only for its operator. */
export async function openQueues(connection: Redis): Promise<Queue[]> {
  const { Queue } = await import('bullmq')
  return (Object.keys(queues) as QueueName[]).map(name => {
    const queue = new Queue(name, { connection, prefix: REDIS_PREFIX })
    queue.on('error', () => undefined)
    return queue
  })
}

async function readQueue(queue: Queue, redis: Redis): Promise<QueueStatus> {
  const counts = await queue.getJobCounts('wait', 'prioritized', 'delayed', 'active')
  const { wait = 0, prioritized = 0, delayed = 0, active = 0 } = counts
  // BullMQ removes old ones only when the next job fails.
  const since = systemClock.now() - FAILED_RETENTION_MS
  const failed = await redis.zcount(queue.toKey('failed'), since, '+inf')
  const workers = await queue.getWorkersCount()
  const name = queue.name as QueueName
  return { name, waiting: wait + prioritized + delayed, active, failed, workers }
}

async function limitWait(work: Promise<void>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${ms} ms`)), ms)
  })
  await Promise.race([work, late]).finally(() => clearTimeout(timer))
}
