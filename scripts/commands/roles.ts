import { hasSupervisor } from '../../jobs/child-process.ts'
import { answerMetricsRequests } from '../../jobs/metrics/messages.ts'
import { RoleMetrics } from '../../jobs/metrics/role-metrics.ts'
import type { Role } from '../../jobs/process-role.ts'
import type { Failed } from '../../jobs/supervisor.ts'
import { systemClock } from '../../pipeline/core/clock.ts'
import { type Config, ConfigError } from '../../pipeline/core/config.ts'
import { describeFullDisk, isDiskFull } from '../../pipeline/core/disk-full.ts'
import { createLog, type Log } from '../../pipeline/core/log.ts'
import { findSettingNotes } from '../../pipeline/core/settings/setting-notes.ts'
import { resolvePaths } from '../../pipeline/store/paths.ts'
import { toCommandSentence } from '../command-line/command-sentence.ts'
import { requireRedisUrl } from './environment.ts'
import { checkRoleRedis, readServiceSettings, type ServiceName } from './start-checks.ts'

/**
 * Percentage by which the heap of the API may grow before garbage is collected. Most of what lives there
 * is cached and hardly any of the rest outlives its request, so collecting it early costs little.
 */
const API_HEAP_GROWTH = 40

export function serveApi(): Promise<void> {
  return runRole('api', async ({ config, log, metrics }) => {
    const { runApi } = await import('../../api/server.ts')
    const { openWriterClient } = await import('../../jobs/api-client/writer-client.ts')
    const { connectRedis } = await import('../../jobs/redis.ts')
    const { limitHeapGrowth, keepYoungObjectsTogether } = await import('../../jobs/v8-heap.ts')
    limitHeapGrowth(API_HEAP_GROWTH)
    keepYoungObjectsTogether()
    if (config.REPLICA_OF !== undefined) {
      const { createRefusingWriter } = await import('../../jobs/api-client/refusing-writer.ts')
      const writer = createRefusingWriter()
      return runApi({ config, clock: systemClock, log, writer, metrics })
    }
    const redis = connectRedis(requireRedisUrl(config), 'failFast', log, config.LIMITS)
    const writer = openWriterClient(requireRedisUrl(config), log, config.LIMITS)
    const served = await runApi({ config, clock: systemClock, log, writer, redis, metrics })
    if (!hasSupervisor()) await warnOfUnreadableCredentials(config, log)
    return {
      url: served.url,
      async close() {
        await served.close()
        await writer.close()
        redis.disconnect()
      },
    }
  })
}

/** Logs that CREDENTIALS_KEY was replaced; `start` says it for its own roles. */
async function warnOfUnreadableCredentials(config: Config, log: Log): Promise<void> {
  const { findUnreadableCredentials } = await import('./stored-credentials.ts')
  const paths = resolvePaths(config.DATA_DIR)
  const unreadable = findUnreadableCredentials(config.CREDENTIALS_KEY, paths)
  if (unreadable !== undefined) log.warn(unreadable)
}

export function startCrawlerRole(): Promise<void> {
  return runRole('crawler', async ({ config, log, metrics }) => {
    const { runCrawler } = await import('../../jobs/crawler/crawler.ts')
    const { CrawlerMetrics } = await import('../../jobs/metrics/crawler-metrics.ts')
    const counted = new CrawlerMetrics(metrics)
    return runCrawler(config, requireRedisUrl(config), systemClock, log, counted)
  })
}

export function startPushRole(): Promise<void> {
  return runRole('push', async ({ config, log, metrics }) => {
    const { runPush } = await import('../../jobs/push/push.ts')
    return runPush(config, requireRedisUrl(config), systemClock, log, metrics)
  })
}

export function startIndexerRole(): Promise<void> {
  return runRole('indexer', async ({ config, log, fail, metrics }) => {
    const { runIndexer } = await import('../../jobs/indexer/indexer.ts')
    const { IndexerMetrics } = await import('../../jobs/metrics/indexer-metrics.ts')
    const watched = { metrics: new IndexerMetrics(metrics) }
    return runIndexer(config, requireRedisUrl(config), systemClock, log, fail, watched)
  })
}

export function serveAgent(): Promise<void> {
  return runRole('agent', async ({ config, log, metrics }) => {
    const { runAgent } = await import('../../api/agent/server.ts')
    const { buildFetcherOptions } = await import('../../jobs/crawler/fetcher-options.ts')
    const { createFetcher } = await import('../../pipeline/fetch/http.ts')
    const { createFetchMeter } = await import('../../jobs/metrics/crawler-metrics.ts')
    const meter = createFetchMeter(metrics)
    const fetcher = createFetcher({ ...buildFetcherOptions(config, systemClock, log), meter })
    const { url, close } = await runAgent({ config, clock: systemClock, log, fetcher, metrics })
    return {
      url,
      async close() {
        await close()
        await fetcher.close()
      },
    }
  })
}

type UpRole = Role & { url?: string }

/** Parts that every role is started with. */
interface Start {
  config: Config
  log: Log
  /** Ends the process after an error. */
  fail: (error: unknown) => void
  metrics: RoleMetrics
}

/**
 * Runs a role until a signal, the end of its supervisor, or an uncaught error. It reports when it
 * is ready, and is closed once.
 */
export async function runRole(
  name: ServiceName,
  start: (given: Start) => Promise<UpRole>,
): Promise<void> {
  const config = await readSettingsOrExit(name)
  const { dir } = resolvePaths(config.DATA_DIR)
  const log = createLog(name, config.LOG_LEVEL, { dir })
  const tracing = await traceRole(name, config)
  let role: UpRole | undefined
  let isEnding = false
  const end = async (status: number) => {
    if (isEnding) return
    isEnding = true
    await role
      ?.close()
      .catch(error => log.error({ error: String(error) }, 'could not close cleanly'))
    await tracing?.close()
    process.exit(status)
  }
  const fail = (error: unknown) => {
    if (isDiskFull(error)) return void endWith(name, error, dir)
    log.fatal({ err: error }, 'stopped by an error')
    process.exit(1)
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void end(0))
  process.on('disconnect', () => void end(0))
  process.on('uncaughtException', fail)
  process.on('unhandledRejection', fail)
  const metrics = new RoleMetrics(name)
  answerMetricsRequests(process, metrics)
  try {
    await showAlone(name, config, { log, metrics, isUp: () => role !== undefined })
    await checkRoleRedis(config, log)
    role = await start({ config, log, fail, metrics })
  } catch (error) {
    // Open stores and the channel to the supervisor would keep the process alive, and the lease
    // with it.
    return await endWith(name, error, dir)
  }
  const { url } = role
  // A supervisor that has just ended is not there anymore to hear it: this process ends next.
  process.send?.({ ready: url === undefined ? {} : { url } }, () => undefined)
}

async function readSettingsOrExit(name: ServiceName): Promise<Config> {
  try {
    return await readServiceSettings(name, process.env)
  } catch (error) {
    return await endWith(name, error)
  }
}

/** Ends a role that cannot start, or that cannot go on without room on the disk of its stores. */
async function endWith(name: ServiceName, error: unknown, dir?: string): Promise<never> {
  const isFull = dir !== undefined && isDiskFull(error)
  await reportFailure(isFull ? describeFullDisk(dir) : describeFailure(name, error))
  process.exit(1)
}

/** Describes why a role cannot start; a setting that is wrong says so in a sentence of its own. */
function describeFailure(role: string, error: unknown): string {
  if (error instanceof ConfigError) return error.message
  return `the ${role} cannot start: ${error instanceof Error ? error.message : String(error)}`
}

/** Tells the supervisor why this process ends, or the person at the terminal: one of them says it, once. */
async function reportFailure(reason: string): Promise<void> {
  if (hasSupervisor()) {
    await new Promise(resolve => process.send?.({ failed: reason } satisfies Failed, resolve))
  } else {
    process.stderr.write(`${toCommandSentence(reason)}\n`)
  }
}

/** Exports the traces of this process where the settings name a collector. */
async function traceRole(role: string, config: Config) {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_TRACES_SAMPLER_ARG: share } = config
  if (endpoint === undefined) return undefined
  const { startTracing } = await import('../../jobs/tracing.ts')
  return startTracing(role, endpoint, share)
}

/**
 * Serves the operator's port of a role that runs alone, where one is set: `start` does it for all of its
 * own. It listens before the role is up, as one may stand by for long.
 */
async function showAlone(
  role: string,
  config: Config,
  { log, metrics, isUp }: { log: Log; metrics: RoleMetrics; isUp: () => boolean },
): Promise<void> {
  if (config.OPERATOR_PORT === undefined) return
  const { serveOperator } = await import('../../api/operator/server.ts')
  const { url } = await serveOperator({
    config,
    clock: systemClock,
    log,
    port: config.OPERATOR_PORT,
    redisUrl: role === 'push' ? undefined : config.REDIS_URL,
    showsQueues: role === 'indexer',
    readReports: async () => [{ role, values: await metrics.read(), restarts: 0 }],
    findNotes: () => (role === 'api' ? findSettingNotes(config) : []),
    findProblems: () => (isUp() ? [] : [`the ${role} is starting or on standby`]),
  })
  log.info({ url }, 'serving the operator')
}
