import type { FastifyRequest } from 'fastify'
import type { WriterClient } from '../../jobs/api-client/enqueue.ts'
import type { Clock } from '../../pipeline/core/clock.ts'
import type { Config } from '../../pipeline/core/config.ts'
import type { Log } from '../../pipeline/core/log.ts'
import type { RegistryKeys } from '../../pipeline/core/registry-keys.ts'
import type { PublicJwk } from '../../pipeline/core/signing-key.ts'
import type { Reader } from '../../pipeline/read/reader.ts'
import type { UserTokens } from '../auth/user-tokens.ts'
import type { CrawlQuota } from '../limits/crawl.ts'
import type { Outbound } from '../limits/outbound.ts'
import type { SaveQuota } from '../limits/save.ts'
import type { StoryboardQuota } from '../limits/storyboards.ts'
import type { Demand } from '../live/demand.ts'
import type { Reference } from '../reference/scalar.ts'
import type { AnswerCache } from '../responses/answer-cache.ts'
import type { AnswerGroup } from '../responses/answer-group.ts'
import type { FeedStreams } from '../responses/feed-streams.ts'
import type { Reports } from '../responses/reports.ts'
import type { WorkerPool } from '../workers/worker-pool.ts'
import type { BoundedLog } from './bounded-log.ts'
import type { Metrics } from './metrics.ts'

/** Services of a handler. None of them writes or reaches the network. */
export interface Services {
  config: Config
  reader: Reader
  clock: Clock
  log: Log
  writer: Pick<WriterClient, 'submit' | 'requestLive' | 'runStoryboard'>
  quota: CrawlQuota
  saves: SaveQuota
  storyboards: StoryboardQuota
  /** Verifies the tokens of persons. */
  tokens: UserTokens
  /** For whatever asks the web. */
  outbound: Outbound
  /** Unknown domains that were looked up. */
  demand: Demand
  /** Answers that can be read again. */
  reports: Reports
  /** Cached answers of lists. */
  answerCache: AnswerCache
  answerGroup: AnswerGroup
  metrics: Metrics
  streams: FeedStreams
  /** For what strangers cause. */
  boundedLog: BoundedLog
  /** Threads for what large bodies cost. */
  workers: WorkerPool
  /** The key by which sites know our crawler, if it signs what it asks. */
  crawlerKey: PublicJwk | undefined
  /** The keys by which the registry signs, where the settings name some. */
  keys: RegistryKeys | undefined
  /** Returns the public address, without a trailing slash. */
  baseUrl(): string
  /** Returns the OpenAPI description as YAML. */
  description(): string
  reference(): Promise<Reference>
}

/** Adds the caller and the request id to the submissions of a request that writes. */
export function withActor({ principal, id }: FastifyRequest, services: Services): Services {
  const by = principal && {
    kind: principal.kind,
    id: principal.id,
    ...(principal.org_id !== undefined && { org_id: principal.org_id }),
  }
  const { writer } = services
  return {
    ...services,
    writer: {
      requestLive: writer.requestLive,
      runStoryboard: writer.runStoryboard,
      submit: (operation, context) =>
        writer.submit(operation, { ...(by && { by }), request: id, ...context }),
    },
  }
}
