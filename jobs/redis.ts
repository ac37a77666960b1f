import { Redis } from 'ioredis'
import { type Limits, limits } from '../pipeline/core/limits.ts'
import type { Log } from '../pipeline/core/log.ts'

/**
 * A connection to Redis. `ask` gives up at once while Redis is away, so that a caller can be told;
 * `work` waits for it to come back, as a worker should.
 */
export function connectRedis(
  url: string,
  use: 'ask' | 'work',
  log: Log,
  { redisAnswerMs }: Pick<Limits, 'redisAnswerMs'> = limits,
): Redis {
  const target = url.startsWith('unix://') ? { path: url.slice('unix://'.length) } : addressOf(url)
  const redis = new Redis({
    ...target,
    retryStrategy: attempt => Math.min(attempt * 50, 300),
    ...(use === 'ask'
      ? { enableOfflineQueue: false, maxRetriesPerRequest: 1, commandTimeout: redisAnswerMs }
      : { maxRetriesPerRequest: null }),
  })
  let isAway = false
  redis.on('error', error => {
    if (!isAway) log.warn({ error: error.message }, 'redis is away')
    isAway = true
  })
  redis.on('ready', () => {
    if (isAway) log.info('redis is back')
    isAway = false
  })
  return redis
}

/** Resolves once the connection is up, however many tries that takes. */
export function whenReady(redis: Redis): Promise<void> {
  return new Promise(resolve => {
    if (redis.status === 'ready') resolve()
    else redis.once('ready', () => resolve())
  })
}

function addressOf(url: string) {
  const { protocol, hostname, port, username, password, pathname } = new URL(url)
  const database = Number(pathname.slice(1) || 0)
  return {
    host: hostname || '127.0.0.1',
    port: Number(port || 6379),
    db: database,
    ...(username ? { username: decodeURIComponent(username) } : {}),
    ...(password ? { password: decodeURIComponent(password) } : {}),
    ...(protocol === 'rediss:' ? { tls: {} } : {}),
  }
}

export type { Redis }
