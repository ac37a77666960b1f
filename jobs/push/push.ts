import { setTimeout } from 'node:timers/promises'
import { type Clock, SECOND } from '../../pipeline/core/clock.ts'
import { type Config, ConfigError } from '../../pipeline/core/config.ts'
import { readRegistryKeys } from '../../pipeline/core/keys/registry-keys.ts'
import type { Log } from '../../pipeline/core/log.ts'
import { readVersion } from '../../pipeline/core/version.ts'
import { createFetcher, type Fetcher } from '../../pipeline/fetch/http.ts'
import { Deliverer } from '../../pipeline/push/deliverer.ts'
import { PushState } from '../../pipeline/push/state.ts'
import { RecordFile } from '../../pipeline/read/record-file.ts'
import { ServingFile } from '../../pipeline/read/serving-file.ts'
import { Lease } from '../../pipeline/store/lease.ts'
import { type Paths, resolvePaths } from '../../pipeline/store/paths.ts'
import { setAside } from '../../pipeline/store/set-aside.ts'
import type { WriterClient } from '../api-client/writer-client.ts'
import { buildFetcherOptions } from '../crawler/fetcher-options.ts'
import { createSharedBuckets } from '../crawler/shared-buckets.ts'
import { PushMetrics } from '../metrics/push-metrics.ts'
import type { RoleMetrics } from '../metrics/role-metrics.ts'
import type { Role } from '../process-role.ts'
import { connectRedis } from '../redis.ts'

const LEASE_RETRY_MS = SECOND / 2
const REFRESH_MS = SECOND

/**
 * Runs the push role: delivers changes to those who subscribed, from the serving store of its host. Stands by
 * while another process delivers. Without Redis it continues, but cannot disable subscriptions.
 */
export async function runPush(
  config: Config,
  redisUrl: string,
  clock: Clock,
  log: Log,
  roleMetrics?: RoleMetrics,
): Promise<Role> {
  const keys = readRegistryKeys(config)
  const paths = resolvePaths(config.DATA_DIR)
  if (keys === undefined)
    throw new ConfigError(
      'REGISTRY_SIGNING_KEYS is not set, and deliveries are signed: name the file that the API has, ' +
        `or ${paths.registryKey}, which \`start\` makes.`,
    )
  const closing = new AbortController()
  let isActive = false
  const metrics = new PushMetrics(roleMetrics, () => isActive)
  const serving = new ServingFile(paths)
  const record = new RecordFile(paths)
  const refresh = () => {
    try {
      record.refresh()
      serving.refresh()
    } catch (error) {
      log.warn({ error: String(error) }, 'the stores cannot be opened')
    }
  }
  const counting = connectRedis(redisUrl, 'failFast', log, config.LIMITS)
  const fetcher = createFetcher({
    ...buildFetcherOptions(config, clock, log),
    buckets: createSharedBuckets(counting, log),
    maxIdle: config.LIMITS.deliveriesOpen,
    meter: metrics.fetch,
  })
  const disabling = openDisabling(redisUrl, config, log)
  const delivering = (async () => {
    const lease = await takeLease(paths, closing.signal, log)
    if (lease === undefined) return undefined
    const state = openState(paths, log)
    refresh()
    const deliverer = new Deliverer({
      findServing: () => serving.store,
      findRecord: () => record.db,
      state,
      fetcher: fetcher.for({ kind: 'push' }) satisfies Fetcher,
      keys,
      protocolName: config.PROTOCOL_NAME,
      signingProfile: config.SIGNING_PROFILE,
      limits: config.LIMITS,
      clock,
      log,
      onAttempt: (result, ms) => metrics.countAttempt(result, ms),
      disable: disabling.disable,
    })
    deliverer.start()
    isActive = true
    log.info({ version: readVersion() }, 'push ready')
    return { lease, state, deliverer }
  })()
  const refreshing = setInterval(refresh, REFRESH_MS)
  return {
    async close() {
      closing.abort()
      clearInterval(refreshing)
      const held = await delivering
      const ended = held?.deliverer.close()
      await fetcher.close()
      await ended
      await held?.state.close()
      held?.lease.release()
      await serving.close()
      record.close()
      await disabling.close()
      counting.disconnect()
    },
  }
}

/** Waits for the lease; undefined when the role is closed before. */
async function takeLease(paths: Paths, signal: AbortSignal, log: Log): Promise<Lease | undefined> {
  for (let isLogged = false; !signal.aborted; isLogged = true) {
    const lease = await Lease.take(paths.pushLock, { paths, log })
    if (lease) return lease
    if (!isLogged) log.info('another process delivers; standing by')
    await setTimeout(LEASE_RETRY_MS, undefined, { signal }).catch(() => undefined)
  }
  return undefined
}

/** Opens the state. A damaged file is replaced by an empty one, so changes are delivered again. */
function openState(paths: Paths, log: Log): PushState {
  try {
    return PushState.open(paths.pushState)
  } catch (error) {
    setAside({ paths, log }, paths.pushState, String(error))
    return PushState.open(paths.pushState)
  }
}

/** Submits that a subscription is disabled; connects for the first one. */
function openDisabling(redisUrl: string, config: Config, log: Log) {
  let writer: WriterClient | undefined
  return {
    async disable(subscription_id: string, reason: string): Promise<boolean> {
      if (writer === undefined) {
        const { openWriterClient } = await import('../api-client/writer-client.ts')
        writer ??= openWriterClient(redisUrl, log, config.LIMITS)
      }
      const operation = { op: 'subscription.disable' as const, subscription_id, reason }
      const by = { kind: 'registry' as const, id: 'push' }
      const answer = await writer.submit(operation, { by }).catch(() => undefined)
      return answer !== undefined && 'done' in answer
    },
    async close(): Promise<void> {
      await writer?.close()
    },
  }
}
