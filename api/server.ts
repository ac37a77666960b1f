import { waitAtMost } from '../jobs/api-client/wait-at-most.ts'
import type { ApiWriter } from '../jobs/api-client/writer-client.ts'
import type { RoleMetrics } from '../jobs/metrics/role-metrics.ts'
import { type Redis, waitUntilReady } from '../jobs/redis.ts'
import { type Clock, MINUTE } from '../pipeline/core/clock.ts'
import type { Config } from '../pipeline/core/config.ts'
import { listenAt } from '../pipeline/core/listen.ts'
import type { Log } from '../pipeline/core/log.ts'
import { readVersion } from '../pipeline/core/version.ts'
import { Reader } from '../pipeline/read/reader.ts'
import { openCatalog } from '../pipeline/storyboards/catalog.ts'
import { buildApp } from './app.ts'
import { IssuerKeys } from './auth/issuer-keys.ts'

export interface ApiDeps {
  config: Config
  clock: Clock
  log: Log
  writer: ApiWriter
  redis?: Redis
  metrics?: RoleMetrics
}

const signals = ['SIGTERM', 'SIGINT'] as const

/** Interval at which newer stores are looked for. */
const FOLLOW_MS = 500

/**
 * Runs the API as a process: opens the stores, listens, and shuts down in order on SIGTERM, SIGINT or
 * `close`, which waits for open requests. Stores that were passed in stay open.
 */
export async function runApi(deps: ApiDeps): Promise<{ url: string; close(): Promise<void> }> {
  const { config, clock, log } = deps
  const reader = new Reader(config.DATA_DIR, clock, config.LIMITS.snapshotQueries)
  for (const fault of openCatalog(config)) log.warn(fault)
  await reader.follow(FOLLOW_MS, logOnceAMinute(log, clock))
  const issuerKeys = new IssuerKeys({ ...deps, reader })
  const app = buildApp({ ...deps, reader, issuerKeys })
  // Concurrent saves are counted in Redis; reads work without it.
  if (deps.redis) await waitAtMost(waitUntilReady(deps.redis))
  const url = await listenAt(app, {
    host: config.HOST,
    port: config.PORT,
    hostSetting: 'HOST',
    portSetting: 'PORT',
  })
  log.info({ url, version: readVersion() }, 'listening')
  issuerKeys.follow()
  let closing: Promise<void> | undefined
  const close = () => {
    for (const signal of signals) process.off(signal, close)
    issuerKeys.close()
    closing ??= app.close().then(() => reader.close())
    return closing
  }
  for (const signal of signals) process.once(signal, close)
  return { url, close }
}

/** Logs why newer stores cannot be opened, the same reason once a minute: they are looked for all the time. */
function logOnceAMinute(log: Log, clock: Clock): (error: unknown) => void {
  let logged = { reason: '', at: clock.now() }
  return error => {
    const reason = error instanceof Error ? error.message : String(error)
    if (reason === logged.reason && clock.now() < logged.at + MINUTE) return
    logged = { reason, at: clock.now() }
    log.warn({ error: reason }, 'newer stores cannot be opened')
  }
}
