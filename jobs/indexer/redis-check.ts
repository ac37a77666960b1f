import type { Config } from '../../pipeline/core/config.ts'
import type { Log } from '../../pipeline/core/log.ts'
import { type RedisInfo, RedisInfoReader } from '../api-client/redis-info.ts'
import { findRedisProblems } from '../api-client/redis-requirements.ts'
import { waitAtMost } from '../api-client/wait-at-most.ts'
import type { Redis } from '../redis.ts'

/** Creates a check that logs each requirement that Redis does not meet, once until it is met again. */
export function createRedisCheck(
  redis: Redis,
  config: Pick<Config, 'BACKUP_TO'>,
  log: Log,
): () => Promise<void> {
  const reader = new RedisInfoReader(redis)
  let logged: ReadonlySet<string> = new Set()
  return async () => {
    let info: RedisInfo | undefined
    const keep = (read: RedisInfo) => {
      info = read
    }
    // A worker's command waits until Redis is back.
    await waitAtMost(reader.read().then(keep, () => undefined))
    if (info === undefined) return
    const problems = findRedisProblems(info, config)
    // The sentence on used memory differs each time.
    const toKey = (problem: string) => problem.replaceAll(/\d+ MiB/g, '')
    for (const problem of problems) if (!logged.has(toKey(problem))) log.warn(problem)
    logged = new Set(problems.map(toKey))
  }
}
