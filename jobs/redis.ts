import { setTimeout } from 'node:timers/promises'
import { Cluster, ReplyError, Redis as Server } from 'ioredis'
import { type Limits, limits } from '../pipeline/core/limits.ts'
import { type Log, silentLog } from '../pipeline/core/log.ts'
import { requireValue } from '../pipeline/core/present.ts'
import {
  type Login,
  parseRedisAddress,
  type RedisAddress,
} from '../pipeline/core/settings/redis-address.ts'
import { hasSupervisor } from './child-process.ts'

/** A connection to one server, to the primary that sentinels name, or to a cluster. */
export type Redis = Server | Cluster

/**
 * Prefix of every key, so that the registry can share a server. The braces keep all keys on one node of a
 * cluster, since a script or a transaction may use several.
 */
export const REDIS_PREFIX = '{registry}'

type Mode = 'failFast' | 'waitForever'

/** Longest pause between two attempts to connect. */
const RETRY_MAX_MS = 300

/**
 * Connects to Redis. In the mode `failFast` commands fail at once while Redis is unavailable, so that callers get
 * an answer; in the mode `waitForever` they wait until it is back, as a worker should. Throws where `url` is
 * no address of a Redis.
 */
export function connectRedis(
  url: string,
  mode: Mode,
  log: Log,
  { redisAnswerMs }: Pick<Limits, 'redisAnswerMs'> = limits,
): Redis {
  const address = parseRedisAddress(url)
  if (address === undefined) throw new Error('REDIS_URL is not the address of a Redis')
  const redis =
    address.kind === 'cluster'
      ? new Cluster(address.nodes, toClusterOptions(address.login, mode, redisAnswerMs))
      : new Server(toServerOptions(address, mode, redisAnswerMs))
  logAvailability(redis, url, log)
  return redis
}

/** Throws, with the address, where Redis does not answer in time. */
export async function assertRedisAnswers(url: string, ms: number): Promise<void> {
  const problem = await findRedisAway(url, ms)
  if (problem !== undefined) throw new Error(`${problem}: start it, then try again`)
}

/** Says, with the address, that Redis does not answer in time; undefined where it does. */
async function findRedisAway(url: string, ms: number): Promise<string | undefined> {
  const redis = connectRedis(url, 'failFast', silentLog)
  try {
    await Promise.race([waitUntilReady(redis), setTimeout(ms, undefined, { ref: false })])
    return redis.status === 'ready' ? undefined : `Redis does not answer at ${hidePassword(url)}`
  } finally {
    redis.disconnect()
  }
}

/** Resolves once Redis answers, however long that takes. */
export async function waitForRedis(url: string): Promise<void> {
  const redis = connectRedis(url, 'failFast', silentLog)
  await waitUntilReady(redis).finally(() => redis.disconnect())
}

/** Leaves out both passwords: the server's, and that of its sentinels in the query. */
function hidePassword(url: string): string {
  return url.replace(/\?.*$/s, '').replace(/\/\/[^@/]*@/, '//…@')
}

function toServerOptions(
  address: Exclude<RedisAddress, { kind: 'cluster' }>,
  mode: Mode,
  redisAnswerMs: number,
) {
  return {
    ...toTarget(address),
    retryStrategy: toRetryDelay,
    reconnectOnError: isDemoted,
    ...(mode === 'failFast'
      ? { enableOfflineQueue: false, maxRetriesPerRequest: 1, commandTimeout: redisAnswerMs }
      : { maxRetriesPerRequest: null }),
  }
}

function toTarget(address: Exclude<RedisAddress, { kind: 'cluster' }>) {
  if (address.kind === 'socket') return { path: address.path }
  const { db, login } = address
  if (address.kind === 'server') return { ...address.server, db, ...login }
  const { sentinels, name, sentinelPassword } = address
  const { tls } = login
  return {
    sentinels,
    name,
    db,
    ...login,
    ...(tls && { enableTLSForSentinelMode: true, sentinelTLS: tls }),
    ...(sentinelPassword !== undefined && { sentinelPassword }),
    sentinelRetryStrategy: toRetryDelay,
  }
}

function toClusterOptions(login: Login, mode: Mode, redisAnswerMs: number) {
  const isFast = mode === 'failFast'
  return {
    clusterRetryStrategy: toRetryDelay,
    enableOfflineQueue: !isFast,
    // A worker's command outlasts the election of a new primary.
    maxRedirections: isFast ? 16 : Number.MAX_SAFE_INTEGER,
    redisOptions: { ...login, ...(isFast && { commandTimeout: redisAnswerMs }) },
  }
}

function toRetryDelay(attempt: number): number {
  return Math.min(attempt * 50, RETRY_MAX_MS)
}

/**
 * Tells whether a server refuses a write since it is no primary anymore: it keeps its connections, so connect
 * again and repeat the command.
 */
function isDemoted(error: Error): false | 2 {
  return error.message.startsWith('READONLY') && 2
}

/** Addresses that this process cannot reach: it says so once, however many connections it has there. */
const unavailable = new Set<string>()

/**
 * Passes on that Redis does not answer in time, and what helps. This process does not say it again before Redis has
 * answered.
 */
export async function tellRedisAway(
  url: string,
  ms: number,
  tell: (problem: string) => void,
): Promise<void> {
  const problem = await findRedisAway(url, ms)
  if (problem === undefined) return
  unavailable.add(url)
  tell(`${problem}: start it, or correct REDIS_URL`)
}

/** Leaves it to the supervisor, which connects to the same Redis, to speak for its roles. */
function chooseLevel(): 'debug' | 'warn' {
  return hasSupervisor() ? 'debug' : 'warn'
}

function logAvailability(redis: Redis, url: string, log: Log): void {
  redis.on('error', (error: Error) => {
    if (log === silentLog || unavailable.has(url)) return
    unavailable.add(url)
    const facts = { error: error.message, REDIS_URL: hidePassword(url) }
    const level = error instanceof ReplyError ? 'warn' : chooseLevel()
    // A socket may be that of `start`, which starts its own Redis again by itself.
    const advice = url.startsWith('unix:') ? '' : ': start it, or correct REDIS_URL'
    log[level](facts, `Cannot reach Redis${advice}`)
  })
  redis.on('ready', () => {
    if (log !== silentLog && unavailable.delete(url)) log[chooseLevel()]('Redis is reachable again')
  })
}

/** Resolves once connected, however many attempts it takes. */
export function waitUntilReady(redis: Redis): Promise<void> {
  return new Promise(resolve => {
    if (redis.status === 'ready') resolve()
    else redis.once('ready', () => resolve())
  })
}

/** Messages of errors that have no class of their own, for a command that Redis did not carry out. */
const FAILURE =
  /^(?:Command timed out|Connection is closed|Stream isn't writeable|no connection to Redis)/

/** Tells whether an error says that Redis is away, is full, or refuses a command. */
export function isRedisFailure(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (error instanceof ReplyError || FAILURE.test(error.message)) return true
  return error.name === 'MaxRetriesPerRequestError' || error.name === 'ClusterAllFailedError'
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
  const commands = redis as unknown as Record<string, Script<Answer>> | undefined
  return async (...values) => {
    if (commands === undefined) throw new Error('no connection to Redis')
    return await requireValue(commands[name], name).call(commands, ...values)
  }
}
