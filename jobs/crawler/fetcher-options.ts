import type { Clock } from '../../pipeline/core/clock.ts'
import type { Config } from '../../pipeline/core/config.ts'
import { readSigningKey } from '../../pipeline/core/keys/signing-key.ts'
import type { Log } from '../../pipeline/core/log.ts'
import type { FetcherOptions } from '../../pipeline/fetch/http.ts'

/** Builds the fetcher's options from the settings. */
export function buildFetcherOptions(config: Config, clock: Clock, log: Log): FetcherOptions {
  return {
    connectTo: config.CRAWL_CONNECT_TO,
    caFile: config.CRAWL_CA_FILE,
    dnsServer: config.DNS_SERVER,
    hostConcurrency: config.HOST_CONCURRENCY,
    addressConcurrency: config.ADDRESS_CONCURRENCY,
    contact: config.CRAWL_CONTACT,
    robots: config.ROBOTS,
    signing: readSigner(config),
    limits: config.LIMITS,
    maxIdle: config.CRAWL_CONCURRENCY,
    clock,
    log,
  }
}

/** Reads the key that signs requests; its public part is published by the API. */
function readSigner({ CRAWL_SIGNING_KEY, BASE_URL }: Config): FetcherOptions['signing'] {
  if (CRAWL_SIGNING_KEY === undefined || BASE_URL === undefined) return undefined
  return { key: readSigningKey(CRAWL_SIGNING_KEY), agent: new URL(BASE_URL).origin }
}
