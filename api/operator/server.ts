import { findRedisProblems, REDIS_SILENT } from '../../jobs/api-client/redis-requirements.ts'
import { type RedisStatus, watchRedis } from '../../jobs/api-client/redis-status.ts'
import type { ProcessReport } from '../../jobs/metrics/messages.ts'
import { RoleMetrics } from '../../jobs/metrics/role-metrics.ts'
import { resolveBaseUrl } from '../../pipeline/core/base-url.ts'
import type { Clock } from '../../pipeline/core/clock.ts'
import type { Config } from '../../pipeline/core/config.ts'
import { listenAt } from '../../pipeline/core/listen.ts'
import type { Log } from '../../pipeline/core/log.ts'
import { formatBuild, readBuild } from '../../pipeline/core/version.ts'
import { describeFrozenRedis, readDiskProblems, readFreeDisk } from '../../pipeline/read/health.ts'
import { resolvePaths } from '../../pipeline/store/paths.ts'
import { buildOperatorApp, type Found } from './app.ts'
import { findCopyProblems, findReportedNotes, findReportedProblems } from './health.ts'
import { OperatorMetrics } from './operator-metrics.ts'
import type { StartPage } from './start-page.ts'

export interface OperatorServerOptions {
  config: Config
  clock: Clock
  log: Log
  port: number
  /** Address of the Redis that must answer; without it, Redis is not reported. */
  redisUrl: string | undefined
  /** Finds the process of a Redis that `start` runs. */
  findRedisPid?(): number | undefined
  /** Shows the queues in it and the disk of the stores, as one process of a registry does. */
  showsQueues: boolean
  readReports(): Promise<ProcessReport[]>
  /** Finds further problems, as sentences. */
  findProblems?(): string[]
  /** Finds the problems that `status` names, which include those of this server. */
  readStatusProblems?(found: Found): Promise<string[]>
  /** Finds further notes, as sentences. */
  findNotes?(): string[]
}

/** Serves the operator's port until it is closed. Throws if the port is taken. */
export async function serveOperator(
  options: OperatorServerOptions,
): Promise<{ url: string; close(): Promise<void> }> {
  const { config, clock, log, port, redisUrl, showsQueues, readReports } = options
  const { findProblems, findNotes, findRedisPid, readStatusProblems } = options
  const redis = redisUrl === undefined ? undefined : watchRedis(redisUrl, log)
  const paths = resolvePaths(config.DATA_DIR)
  const build = readBuild()
  const hasQueues = showsQueues && redisUrl !== undefined
  const app = buildOperatorApp({
    config,
    log,
    queues: chooseQueues(hasQueues, config),
    site: resolveBaseUrl(config),
    version: formatBuild(build),
    metrics: new OperatorMetrics(new RoleMetrics('operator'), {
      build,
      ...(showsQueues && { readFreeDisk: () => readFreeDisk(paths) }),
      ...(showsQueues && redis && { readRedis: () => redis.read() }),
    }),
    readReports,
    async findProblems(reports) {
      return [
        // What else a full disk causes says less.
        ...readDiskProblems(paths),
        ...(redis === undefined
          ? []
          : findStatusProblems(await redis.read(), config, findRedisPid?.())),
        ...findReportedProblems(reports, paths, clock.now()),
        ...(findProblems?.() ?? []),
      ]
    },
    readStatusProblems,
    findCopyProblems: reports => findCopyProblems(reports, clock.now()),
    findNotes: reports => [...findReportedNotes(reports), ...(findNotes?.() ?? [])],
  })
  app.addHook('onClose', async () => redis?.close())
  // Jobs reveal more than metrics, so they are shown only to holders of a token.
  if (hasQueues && config.OPERATOR_TOKEN !== undefined) {
    const { addQueueBoard } = await import('./queue-board.ts')
    await addQueueBoard(app, redisUrl, log)
  }
  const url = await listenAt(app, {
    host: config.OPERATOR_HOST,
    port,
    hostSetting: 'OPERATOR_HOST',
    portSetting: 'OPERATOR_PORT',
  })
  return { url, close: () => app.close() }
}

function chooseQueues(hasQueues: boolean, { OPERATOR_TOKEN }: Config): StartPage['queues'] {
  if (!hasQueues) return 'elsewhere'
  return OPERATOR_TOKEN === undefined ? 'need a token' : 'shown'
}

function findStatusProblems(
  status: RedisStatus | undefined,
  config: Config,
  pid: number | undefined,
): string[] {
  if (status !== undefined) return findRedisProblems(status.info, config)
  return pid === undefined ? [REDIS_SILENT] : [describeFrozenRedis(pid)]
}
