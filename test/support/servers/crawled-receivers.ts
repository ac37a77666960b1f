import { openWriterClient } from '../../../jobs/api-client/writer-client.ts'
import { runCrawler } from '../../../jobs/crawler/crawler.ts'
import { systemClock } from '../../../pipeline/core/clock.ts'
import { readConfig } from '../../../pipeline/core/config.ts'
import { silentLog } from '../../../pipeline/core/log.ts'
import { startRedis } from '../processes/redis.ts'
import type { RegistryOptions } from '../registry/app.ts'
import {
  buildGenerousLimits,
  generousRates,
  generousTimeouts,
} from '../registry/generous-limits.ts'
import { makeRegistryKey, openReceivers, type Receivers } from './webhook-receivers.ts'

/** Receivers with a crawler that reaches them, and the options of a registry that signs and asks this crawler. */
export interface CrawledReceivers extends Receivers {
  registry: Required<Pick<RegistryOptions, 'redis' | 'settings'>> & {
    writer: Required<Pick<NonNullable<RegistryOptions['writer']>, 'requestLive'>>
  }
}

export async function openCrawledReceivers(): Promise<CrawledReceivers> {
  const key = makeRegistryKey()
  const redis = await startRedis()
  const receivers = await openReceivers(key.path)
  const settings = { REGISTRY_SIGNING_KEYS: key.path }
  const reaching = { CRAWL_CONNECT_TO: receivers.url, ...buildGenerousLimits(generousRates) }
  const config = readConfig({ ...settings, ...reaching })
  const crawler = await runCrawler(config, redis.url, systemClock, silentLog)
  const writer = openWriterClient(redis.url, silentLog, generousTimeouts)
  return {
    ...receivers,
    registry: { redis: redis.redis, settings, writer: { requestLive: writer.requestLive } },
    async close() {
      await crawler.close()
      await writer.close()
      await receivers.close()
      await redis.close()
      key.remove()
    },
  }
}
