import type { Role } from '../../jobs/process-role.ts'
import { systemClock } from '../../pipeline/core/clock.ts'
import { createLog, type Log } from '../../pipeline/core/log.ts'
import { readSettings, requireRedisUrl } from './environment.ts'

/**
 * Percentage by which the heap of the API may grow before garbage is collected. Most of what lives there
 * is cached and hardly any of the rest outlives its request, so collecting it early costs little.
 */
const API_HEAP_GROWTH = 40

export function serveApi(): Promise<void> {
  const config = readSettings()
  return runRole('api', config.LOG_LEVEL, async log => {
    const { runApi } = await import('../../api/server.ts')
    const { openWriterClient } = await import('../../jobs/api-client/enqueue.ts')
    const { connectRedis } = await import('../../jobs/redis.ts')
    const { limitHeapGrowth } = await import('../../jobs/v8-heap.ts')
    limitHeapGrowth(API_HEAP_GROWTH)
    const redis = connectRedis(requireRedisUrl(config), 'ask', log, config.LIMITS)
    const writer = openWriterClient(requireRedisUrl(config), log, config.LIMITS)
    const served = await runApi({ config, clock: systemClock, log, writer, redis })
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

export function startCrawlerRole(): Promise<void> {
  const config = readSettings()
  return runRole('crawler', config.LOG_LEVEL, async log => {
    const { runCrawler } = await import('../../jobs/crawler/crawler.ts')
    return runCrawler(config, requireRedisUrl(config), systemClock, log)
  })
}

export function startPushRole(): Promise<void> {
  const config = readSettings()
  return runRole('push', config.LOG_LEVEL, async log => {
    const { runPush } = await import('../../jobs/push/push.ts')
    return runPush(config, requireRedisUrl(config), systemClock, log)
  })
}

export function startIndexerRole(): Promise<void> {
  const config = readSettings()
  return runRole('indexer', config.LOG_LEVEL, async (log, fail) => {
    const { runIndexer } = await import('../../jobs/indexer/indexer.ts')
    return runIndexer(config, requireRedisUrl(config), systemClock, log, fail)
  })
}

export function serveAgent(): Promise<void> {
  const config = readSettings()
  return runRole('agent', config.LOG_LEVEL, async log => {
    const { runAgent } = await import('../../api/agent/server.ts')
    const { buildFetcherOptions } = await import('../../jobs/crawler/fetcher-options.ts')
    const { createFetcher } = await import('../../pipeline/fetch/http.ts')
    const fetcher = createFetcher(buildFetcherOptions(config, systemClock, log))
    const { url, close } = await runAgent({ config, clock: systemClock, log, fetcher })
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

/**
 * Runs a role until a signal, the end of its supervisor, or an uncaught error. It reports when it
 * is ready, and is closed once.
 */
export async function runRole(
  name: string,
  level: string,
  start: (log: Log, fail: (error: unknown) => void) => Promise<UpRole>,
): Promise<void> {
  const log = createLog(name, level)
  let role: UpRole | undefined
  let isEnding = false
  const end = async (status: number) => {
    if (isEnding) return
    isEnding = true
    await role
      ?.close()
      .catch(error => log.error({ error: String(error) }, 'could not close cleanly'))
    process.exit(status)
  }
  const fail = (error: unknown) => {
    log.fatal({ err: error }, 'stopped by an error')
    process.exit(1)
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void end(0))
  process.on('disconnect', () => void end(0))
  process.on('uncaughtException', fail)
  process.on('unhandledRejection', fail)
  try {
    role = await start(log, fail)
  } catch (error) {
    // Open stores and the channel to the supervisor would keep the process alive, and the lease
    // with it.
    const reason = error instanceof Error ? error.message : String(error)
    process.stderr.write(`the ${name} cannot start: ${reason}\n`)
    process.exit(1)
  }
  process.send?.({ ready: role.url === undefined ? {} : { url: role.url } })
}
