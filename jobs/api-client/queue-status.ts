import { Queue } from 'bullmq'
import { limits } from '../../pipeline/core/limits.ts'
import type { Log } from '../../pipeline/core/log.ts'
import { type QueueName, queues, REDIS_PREFIX, SUBMISSIONS } from '../queues.ts'
import { connectRedis, waitUntilReady } from '../redis.ts'

/** Jobs of a queue and the processes that work on it. */
export interface QueueStatus {
  name: QueueName | 'submissions'
  waiting: number
  active: number
  /** Jobs that failed for good; the last hundred are kept. */
  failed: number
  /** Processes that take jobs of this queue; null for the stream of submissions. */
  workers: number | null
}

/** Reads the state of every queue; undefined where Redis does not answer in time. */
export async function readQueueStatus(
  redisUrl: string,
  log: Log,
): Promise<QueueStatus[] | undefined> {
  const redis = connectRedis(redisUrl, 'ask', log)
  try {
    await limitWait(waitUntilReady(redis), limits.redisAnswerMs)
    const names = Object.keys(queues) as QueueName[]
    const states = await Promise.all(
      names.map(async name => {
        const queue = new Queue(name, { connection: redis, prefix: REDIS_PREFIX })
        const counts = await queue.getJobCounts(
          'wait',
          'prioritized',
          'delayed',
          'active',
          'failed',
        )
        const { wait = 0, prioritized = 0, delayed = 0, active = 0, failed = 0 } = counts
        const workers = await queue.getWorkersCount()
        return { name, waiting: wait + prioritized + delayed, active, failed, workers }
      }),
    )
    const waiting = await redis.xlen(SUBMISSIONS.key)
    return [...states, { name: 'submissions', waiting, active: 0, failed: 0, workers: null }]
  } catch (error) {
    log.debug({ error: String(error) }, 'the queues could not be read')
    return undefined
  } finally {
    redis.disconnect()
  }
}

async function limitWait(work: Promise<void>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${ms} ms`)), ms)
  })
  await Promise.race([work, late]).finally(() => clearTimeout(timer))
}
