import { limits } from '../../pipeline/core/limits.ts'
import type { Log } from '../../pipeline/core/log.ts'
import { connectRedis, waitUntilReady } from '../redis.ts'
import { QueueReader, type QueueStatus } from './queue-status.ts'
import { type RedisInfo, RedisInfoReader } from './redis-info.ts'
import { waitAtMost } from './wait-at-most.ts'

/** State of Redis and its queues. */
export interface RedisStatus {
  queues: readonly QueueStatus[]
  info: RedisInfo
}

/** A reader of the state of Redis, for those who ask often. */
export interface RedisWatch {
  /** Reads the state; undefined while Redis does not answer. */
  read(): Promise<RedisStatus | undefined>
  close(): void
}

export function watchRedis(redisUrl: string, log: Log): RedisWatch {
  const redis = connectRedis(redisUrl, 'failFast', log)
  const reader = new QueueReader(redis)
  const infoReader = new RedisInfoReader(redis)
  // Until the first connection is made nobody knows whether Redis answers.
  const connected = waitAtMost(waitUntilReady(redis), limits.redisConnectMs)
  return {
    async read() {
      await connected
      try {
        const [queues, info] = await Promise.all([reader.read(), infoReader.read()])
        return { queues, info }
      } catch {
        return undefined
      }
    },
    close: () => redis.disconnect(),
  }
}
