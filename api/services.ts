import type { Desk } from '../jobs/enqueue.ts'
import type { Clock } from '../pipeline/core/clock.ts'
import type { Config } from '../pipeline/core/config.ts'
import type { Log } from '../pipeline/core/log.ts'
import type { PublicJwk } from '../pipeline/core/signing-key.ts'
import type { Reader } from '../pipeline/index/reader.ts'
import type { Budget } from './budget.ts'
import type { Demand } from './demand.ts'
import type { FeedStreams } from './feed-streams.ts'
import type { Metrics } from './metrics.ts'
import type { CrawlQuota } from './quota.ts'
import type { Reports } from './reports.ts'
import type { SaveQuota } from './save-quota.ts'
import type { UserTokens } from './user-tokens.ts'

/** What handlers may use. Nothing in it writes, and nothing reaches the network. */
export interface Services {
  config: Config
  reader: Reader
  clock: Clock
  log: Log
  desk: Pick<Desk, 'submit' | 'send'>
  quota: CrawlQuota
  saves: SaveQuota
  /** Verifies the tokens of persons. */
  tokens: UserTokens
  /** For whatever asks the web. */
  budget: Budget
  /** What was looked up and is not known. */
  demand: Demand
  /** Answers that can be read again. */
  reports: Reports
  metrics: Metrics
  streams: FeedStreams
  /** The key by which sites know our crawler, if it signs what it asks. */
  crawlerKey: PublicJwk | undefined
  /** Public address, without a trailing slash. */
  baseUrl(): string
  /** The OpenAPI description as YAML, and as a page for people. */
  description(): string
  reference(): string
}
