import { Redis } from 'ioredis'
import { type Limits, limits } from '../pipeline/core/limits.ts'
import type { Log } from '../pipeline/core/log.ts'

/**
 * Connects to Redis. In the mode `failFast` commands fail at once while Redis is unavailable, so that callers get
 * an answer; in the mode `waitForever` they wait until it is back, as a worker should.
 */
export function connectRedis(
  url: string,
  mode: 'failFast' | 'waitForever',
  log: Log,
  { redisAnswerMs }: Pick<Limits, 'redisAnswerMs'> = limits,
): Redis {
  const target = url.startsWith('unix://')
    ? { path: url.slice('unix://'.length) }
    : parseRedisAddress(url)
  const redis = new Redis({
    ...target,
    retryStrategy: attempt => Math.min(attempt * 50, 300),
    ...(mode === 'failFast'
      ? { enableOfflineQueue: false, maxRetriesPerRequest: 1, commandTimeout: redisAnswerMs }
      : { maxRetriesPerRequest: null }),
  })
  let isUnavailable = false
  redis.on('error', error => {
    if (!isUnavailable) log.warn({ error: error.message }, 'redis is away')
    isUnavailable = true
  })
  redis.on('ready', () => {
    if (isUnavailable) log.info('redis is back')
    isUnavailable = false
  })
  return redis
}

/** Resolves once connected, however many attempts it takes. */
export function waitUntilReady(redis: Redis): Promise<void> {
  return new Promise(resolve => {
    if (redis.status === 'ready') resolve()
    else redis.once('ready', () => resolve())
  })
}

/** A script: takes its keys and arguments, fails without a connection. */
export type Script<Answer> = (...values: (string | number)[]) => Promise<Answer>

/**
 * Defines a script that Redis runs as one step. Its text is sent once a connection.
 */
export function defineScript<Answer>(
  redis: Redis | undefined,
  name: string,
  numberOfKeys: number,
  lua: string,
): Script<Answer> {
  redis?.defineCommand(name, { numberOfKeys, lua })
  const commands = redis as Record<string, Script<Answer>> | undefined
  return async (...values) => {
    if (commands === undefined) throw new Error('no connection to Redis')
    return await commands[name]!(...values)
  }
}

function parseRedisAddress(url: string) {
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
