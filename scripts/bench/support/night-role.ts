import { runApi } from '../../../api/server.ts'
import { openWriterClient } from '../../../jobs/api-client/writer-client.ts'
import { runCrawler } from '../../../jobs/crawler/crawler.ts'
import { runIndexer } from '../../../jobs/indexer/indexer.ts'
import { connectRedis } from '../../../jobs/redis.ts'
import { readConfig } from '../../../pipeline/core/config.ts'
import { createLog } from '../../../pipeline/core/log.ts'
import { requireValue } from '../../../pipeline/core/present.ts'
import { serveParent } from './child.ts'

export const roles = ['indexer', 'crawler', 'api'] as const
export type RoleName = (typeof roles)[number]

/**
 * Runs a shipped role whose clock is ahead of the machine's by an offset that the parent sets. The
 * API reports its address.
 */
const [, program = '', name, offset] = process.argv
if (program.includes('night-role')) {
  let offsetMs = Number(offset)
  const config = readConfig(process.env)
  const clock = { now: () => Date.now() + offsetMs }
  const log = createLog(requireValue(name, 'name of the role'), config.LOG_LEVEL)
  const fail = (error: unknown) => {
    log.fatal({ err: error }, 'must stop')
    process.exit(1)
  }
  const redisUrl = requireValue(config.REDIS_URL, 'REDIS_URL')
  const starters = {
    indexer: () => runIndexer(config, redisUrl, clock, log, fail),
    crawler: () => runCrawler(config, redisUrl, clock, log),
    api: () => {
      const redis = connectRedis(redisUrl, 'failFast', log, config.LIMITS)
      const writer = openWriterClient(redisUrl, log, config.LIMITS)
      return runApi({ config, clock, log, writer, redis })
    },
  }
  const role = await starters[name as RoleName]()
  process.on('SIGTERM', () => void role.close().then(() => process.exit(0)))
  const ready = 'url' in role ? { url: role.url } : {}
  serveParent<{ offsetMs: number }, object>(ready, async question => {
    offsetMs = question.offsetMs
    return {}
  })
}
