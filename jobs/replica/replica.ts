import { setTimeout } from 'node:timers/promises'
import { type Clock, SECOND } from '../../pipeline/core/clock.ts'
import type { Config } from '../../pipeline/core/config.ts'
import type { Log } from '../../pipeline/core/log.ts'
import { createFetcher } from '../../pipeline/fetch/http.ts'
import { Follower } from '../../pipeline/replica/follower.ts'
import { resolvePaths } from '../../pipeline/store/paths.ts'
import { buildFetcherOptions } from '../crawler/fetcher-options.ts'
import type { Role } from '../process-role.ts'
import { openOrigin } from './open-origin.ts'

/** Interval at which the origin is polled. */
const FOLLOW_EVERY_MS = SECOND / 2
/** Manifest, segment, and a part of a snapshot. */
const REQUESTS_AT_ONCE = 3
/** Longest pause after attempts that failed. */
const PAUSE_MAX_MS = 30 * SECOND

/**
 * Runs the replica role: copies what the registry at `from` (an address, a bucket or a folder) publishes into
 * the stores of this folder, and keeps following it. Failed attempts are repeated with a growing pause, and a reason is logged once.
 */
export function runReplica(config: Config, from: string, clock: Clock, log: Log): Role {
  const options = buildFetcherOptions(config, clock, log)
  const fetcher = createFetcher({ ...options, hostConcurrency: REQUESTS_AT_ONCE })
  const paths = resolvePaths(config.DATA_DIR)
  const closing = new AbortController()
  const following = (async () => {
    const origin = await openOrigin(from, fetcher, closing.signal)
    const follower = new Follower({ origin, paths, clock, log, logKey: config.REPLICA_KEY })
    let loggedReason: string | undefined
    for (let failures = 0; !closing.signal.aborted; ) {
      try {
        await follower.follow()
        failures = 0
        loggedReason = undefined
      } catch (error) {
        failures++
        const reason = String(error)
        if (reason !== loggedReason) log.warn({ error: reason }, 'cannot follow')
        loggedReason = reason
      }
      const pauseMs = Math.min(FOLLOW_EVERY_MS * 2 ** Math.min(failures, 10), PAUSE_MAX_MS)
      await setTimeout(pauseMs, undefined, { signal: closing.signal }).catch(() => undefined)
    }
    await follower.close()
  })()
  return {
    async close() {
      closing.abort()
      await fetcher.close()
      await following
    },
  }
}
