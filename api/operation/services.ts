import type { FastifyRequest } from 'fastify'
import type { RedisRoom } from '../../jobs/api-client/redis-room.ts'
import type { ApiWriter } from '../../jobs/api-client/writer-client.ts'
import type { Clock } from '../../pipeline/core/clock.ts'
import type { Config } from '../../pipeline/core/config.ts'
import type { RegistryKeys } from '../../pipeline/core/keys/registry-keys.ts'
import type { PublicJwk } from '../../pipeline/core/keys/signing-key.ts'
import type { Log } from '../../pipeline/core/log.ts'
import type { PushStateFile } from '../../pipeline/push/state.ts'
import type { Caches } from '../../pipeline/read/cache/caches.ts'
import type { Reader } from '../../pipeline/read/reader.ts'
import type { UserTokens } from '../auth/user-tokens.ts'
import type { BoundedLog } from '../limits/bounded-log.ts'
import type { CrawlQuota } from '../limits/crawl-quota.ts'
import type { Outbound } from '../limits/outbound.ts'
import type { ReceiverQuota } from '../limits/receiver-quota.ts'
import type { SaveQuota } from '../limits/save-quota.ts'
import type { StoryboardQuota } from '../limits/storyboard-quota.ts'
import type { Demand } from '../live/demand.ts'
import type { RunStorage } from '../live/run-storage.ts'
import type { PagePictures } from '../pictures/page-pictures.ts'
import type { AnswerCache } from '../responses/answer-cache.ts'
import type { AnswerGroup } from '../responses/answer-group.ts'
import type { CommitWaiters } from '../responses/commit-waiters.ts'
import type { Compressor } from '../responses/compression.ts'
import type { FeedStreams } from '../responses/feed-streams.ts'
import type { PageStreams } from '../responses/page-streams.ts'
import type { Reports } from '../responses/reports.ts'
import type { WorkerPool } from '../workers/worker-pool.ts'
import type { Metrics } from './metrics.ts'
import type { OpenapiDocument } from './openapi-document.ts'

/** Services that handlers use. None of them writes to a store or accesses the web directly. */
export interface Services {
  config: Config
  reader: Reader
  clock: Clock
  log: Log
  /** Prints text for the person who runs this process. */
  printNotice: (text: string) => void
  writer: ApiWriter
  quota: CrawlQuota
  saves: SaveQuota
  storyboards: StoryboardQuota
  /** Has runs of storyboards stored. */
  runStorage: RunStorage
  receivers: ReceiverQuota
  /** Progress of deliveries of changes. */
  pushState: PushStateFile
  /** Verifies the tokens of persons. */
  tokens: UserTokens
  /** True where people sign in at the registry itself: it has keys, and no other provider is set. */
  isAuthorizationServer: boolean
  /** Sends requests to the web. */
  outbound: Outbound
  /** Collects unknown domains that were looked up. */
  demand: Demand
  /** Stores reports for later reading. */
  reports: Reports
  /** Memory that Redis has left, and the requirements that it does not meet. */
  redisRoom: RedisRoom
  /** Files on their way from the workshop to the dashboard. */
  drafts: Reports
  /** Cached answers of lists. */
  answerCache: AnswerCache
  answerGroup: AnswerGroup
  compressor: Compressor
  /** Caches that last as long as the app. */
  caches: Caches
  metrics: Metrics
  streams: FeedStreams
  commits: CommitWaiters
  pageStreams: PageStreams
  /** Logs what callers cause. */
  boundedLog: BoundedLog
  /** Pictures of pages. */
  pagePictures: PagePictures
  /** Threads for large bodies. */
  workers: WorkerPool
  /** The public key with which the crawler signs its requests, if it does. */
  crawlerKey: PublicJwk | undefined
  /** The keys with which the registry signs, if the settings name any. */
  keys: RegistryKeys | undefined
  /** Returns the public address, without a trailing slash. */
  baseUrl(): string
  /** Returns the OpenAPI description. */
  openapi(): OpenapiDocument
  /** Returns the AsyncAPI description of streams and webhooks, as YAML. */
  asyncapi(): string
  /** Returns the OpenAPI description as YAML. */
  description(): string
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
      findStoryboardJob: writer.findStoryboardJob,
      cancelStoryboardJob: writer.cancelStoryboardJob,
      submit: (operation, context) =>
        writer.submit(operation, { ...(by && { by }), request: id, ...context }),
    },
  }
}
