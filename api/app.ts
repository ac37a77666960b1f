import rateLimit from '@fastify/rate-limit'
import { type FastifyInstance, fastify } from 'fastify'
import { RedisRoom } from '../jobs/api-client/redis-room.ts'
import type { ApiWriter } from '../jobs/api-client/writer-client.ts'
import type { RoleMetrics } from '../jobs/metrics/role-metrics.ts'
import type { Redis } from '../jobs/redis.ts'
import { type Clock, DAY, MINUTE } from '../pipeline/core/clock.ts'
import { computeOnce } from '../pipeline/core/compute-once.ts'
import type { Config } from '../pipeline/core/config.ts'
import { readRegistryKeys } from '../pipeline/core/keys/registry-keys.ts'
import { readSigningKey } from '../pipeline/core/keys/signing-key.ts'
import { readTokenKeys, type TokenKeys } from '../pipeline/core/keys/token-keys.ts'
import { type Log, printNotice } from '../pipeline/core/log.ts'
import { getFirst } from '../pipeline/core/present.ts'
import { PushStateFile } from '../pipeline/push/state.ts'
import { Caches } from '../pipeline/read/cache/caches.ts'
import type { Reader } from '../pipeline/read/reader.ts'
import { IssuerKeys } from './auth/issuer-keys.ts'
import { UserTokens } from './auth/user-tokens.ts'
import { addDashboard, dashboardPaths } from './dashboard/dashboard.ts'
import { addIdentity, identityPaths } from './identity/endpoints.ts'
import { Identity } from './identity/identity.ts'
import { BoundedLog } from './limits/bounded-log.ts'
import { Connections, computeConnectionsMax } from './limits/connection-limit.ts'
import { CrawlQuota } from './limits/crawl-quota.ts'
import { Outbound } from './limits/outbound.ts'
import { buildRateLimitOptions } from './limits/per-address.ts'
import { ReceiverQuota } from './limits/receiver-quota.ts'
import { SaveQuota } from './limits/save-quota.ts'
import { StoryboardQuota } from './limits/storyboard-quota.ts'
import { Demand } from './live/demand.ts'
import { RunStorage } from './live/run-storage.ts'
import { addStoryboardWebhooks, webhookPaths } from './live/storyboard-webhooks.ts'
import { addMcp, MCP_PATH } from './mcp/endpoint.ts'
import { buildAsyncapi } from './operation/asyncapi.ts'
import { closeGracefully } from './operation/closing.ts'
import { answerErrors, sendError, toPublicError } from './operation/http-errors.ts'
import {
  answerMalformed,
  refuseConnection,
  refuseUnsupported,
  requireHost,
} from './operation/malformed-requests.ts'
import { Metrics } from './operation/metrics.ts'
import { buildOpenapi, toYaml } from './operation/openapi.ts'
import { showReplicaLag } from './operation/replica-lag.ts'
import { readBodies } from './operation/request-bodies.ts'
import { createIdGenerator, REQUEST_ID, tellRequestIds } from './operation/request-ids.ts'
import { addRoutes } from './operation/route.ts'
import type { Services } from './operation/services.ts'
import { traceRequests } from './operation/tracing.ts'
import { answerUnknown } from './operation/unknown-routes.ts'
import { compileValidator } from './operation/validation.ts'
import { buildErrorPage } from './pages/error-page.tsx'
import { pages } from './pages/index.ts'
import { addPublishedFiles, publishedPaths } from './pages/published-files.ts'
import { PagePictures } from './pictures/page-pictures.ts'
import { AnswerCache } from './responses/answer-cache.ts'
import { AnswerGroup } from './responses/answer-group.ts'
import { CommitWaiters } from './responses/commit-waiters.ts'
import { Compressor } from './responses/compression.ts'
import { FeedStreams } from './responses/feed-streams.ts'
import { PageStreams } from './responses/page-streams.ts'
import { Reports } from './responses/reports.ts'
import { operations } from './routes/index.ts'
import { WorkerPool } from './workers/worker-pool.ts'

/** Rooms that the operations do without. The dashboard needs `identity`. */
export type OptionalRoom = 'pages' | 'identity' | 'dashboard'

export interface AppDeps {
  config: Config
  reader: Reader
  clock: Clock
  log: Log
  writer: ApiWriter
  /** A connection whose commands fail at once while Redis is down; without one nothing is counted across processes. */
  redis?: Redis
  /** Fetches the keys of the identity provider; by default only when a token requires it. */
  issuerKeys?: IssuerKeys
  /** Prints text for the person who runs this process; on stderr by default. */
  printNotice?: (text: string) => void
  /** Counts requests; metrics of its own by default. */
  metrics?: RoleMetrics
  /** Rooms to leave out; none by default. */
  without?: readonly OptionalRoom[]
}

const PARAM_CHARS_MAX = 2_048
const BODY_BYTES_MAX = 1024 * 1024
/** Longest interval in which Node checks for requests that have timed out. */
const TIMEOUT_CHECK_MS = 15_000

/** Builds the API over open stores. Starts nothing, and closes nothing but itself. */
export function buildApp(given: AppDeps): FastifyInstance {
  const deps = { ...given, writer: showWritten(given) }
  const app = fastify({
    logger: false,
    bodyLimit: BODY_BYTES_MAX,
    genReqId: createIdGenerator(),
    trustProxy: deps.config.TRUSTED_PROXIES,
    ...buildTimeouts(deps.config),
    // In our words (closing.ts), not the framework's.
    return503OnClosing: false,
    routerOptions: { maxParamLength: PARAM_CHARS_MAX, ignoreTrailingSlash: true },
    clientErrorHandler: answerMalformed,
    frameworkErrors: (error, request, reply) => {
      sendError(toPublicError(error), reply.header(REQUEST_ID, request.id))
    },
  })
  const room = new RedisRoom(deps.redis)
  const has = (name: OptionalRoom) => given.without?.includes(name) !== true
  const tokenKeys = has('identity') ? readOwnTokenKeys(deps.config) : undefined
  const services = buildServices(app, deps, { room, tokenKeys })
  refuseUnsupported(app.server)
  tellRequestIds(app)
  requireHost(app)
  if (deps.config.OTEL_EXPORTER_OTLP_ENDPOINT !== undefined) traceRequests(app)
  if (deps.config.REPLICA_OF !== undefined) showReplicaLag(app, deps.reader)
  const connections = watchConnections(app, services)
  closeGracefully(app, connections)
  readBodies(app)
  app.setValidatorCompiler(compileValidator)
  answerErrors(app, services, has('pages') ? buildErrorPage : undefined)
  const identity = tokenKeys && new Identity(tokenKeys, deps.redis, room)
  const views = has('pages') ? pages : []
  const hasDashboard = identity !== undefined && has('dashboard')
  answerUnknown(app, [
    ...operations,
    ...views,
    { method: 'POST', path: MCP_PATH },
    ...publishedPaths,
    ...webhookPaths,
    ...(identity ? identityPaths : []),
    ...(hasDashboard ? dashboardPaths : []),
  ])
  app.register(rateLimit, buildRateLimitOptions(deps.redis, room))
  app.register(async scope => addRoutes(scope, operations, services))
  app.register(async scope => addRoutes(scope, views, services))
  addPublishedFiles(app, services)
  addStoryboardWebhooks(app, deps.redis, services)
  addMcp(app, operations, services)
  if (identity !== undefined) addIdentity(app, identity, services)
  if (hasDashboard) addDashboard(app, identity, services)
  return app
}

/** Has requests read what they wrote: what this process reads at the time may have begun before the commit. */
function showWritten({ reader, writer }: AppDeps): ApiWriter {
  return {
    ...writer,
    async submit(operation, context) {
      const answer = await writer.submit(operation, context)
      reader.serving?.refresh()
      return answer
    },
  }
}

function buildServices(
  app: FastifyInstance,
  deps: AppDeps,
  { room, tokenKeys }: { room: RedisRoom; tokenKeys: TokenKeys | undefined },
): Services {
  const { config, redis, issuerKeys = new IssuerKeys(deps), metrics: roleMetrics, ...rest } = deps
  let knownUrl: string | undefined
  const baseUrl = () => {
    if (knownUrl !== undefined) return knownUrl
    const url = (config.BASE_URL ?? app.listeningOrigin).replace(/\/+$/, '')
    // Asking the socket for its address takes longer than rendering a paragraph.
    if (config.BASE_URL !== undefined || app.server.listening) knownUrl = url
    return url
  }
  // Only when it is asked for is it known where the API listens.
  const openapi = computeOnce(() => buildOpenapi(operations, baseUrl()))
  const metrics = new Metrics(deps.reader, config, roleMetrics)
  const streams = new FeedStreams(deps.reader, config, deps.log)
  const commits = new CommitWaiters(deps.reader, config)
  metrics.watch('registry_feed_streams', () => streams.count + commits.count)
  const pageStreams = new PageStreams(deps.reader, config)
  metrics.watch('registry_page_streams', () => pageStreams.count)
  const workers = new WorkerPool(config.LIMITS.largeBodiesAtOnce)
  const demand = new Demand(deps.writer, config.LIMITS, deps)
  const runStorage = new RunStorage(deps.log)
  app.addHook('preClose', async () => {
    demand.close()
    runStorage.close()
    streams.close()
    commits.close()
    pageStreams.close()
  })
  const pushState = new PushStateFile(deps.reader.paths.pushState)
  app.addHook('onClose', async () => {
    await workers.close()
    await pushState.close()
  })
  return {
    ...rest,
    config,
    printNotice: deps.printNotice ?? printNotice,
    quota: new CrawlQuota(redis, config),
    saves: new SaveQuota(redis, config),
    storyboards: new StoryboardQuota(redis, config),
    runStorage,
    receivers: new ReceiverQuota(redis, config),
    pushState,
    isAuthorizationServer: tokenKeys !== undefined,
    tokens: new UserTokens(
      config,
      deps.reader,
      issuerKeys,
      tokenKeys && { keys: tokenKeys.public, signing: getFirst(tokenKeys.private), baseUrl },
    ),
    outbound: new Outbound(deps.writer, config, deps.clock),
    demand,
    reports: new Reports(redis, room, 'report', {
      keepMs: config.LIMITS.checkReportDays * DAY,
      maxBytes: config.LIMITS.checkReportsBytes,
    }),
    drafts: new Reports(redis, room, 'draft', {
      keepMs: config.LIMITS.draftMinutes * MINUTE,
      maxBytes: config.LIMITS.draftsBytes,
    }),
    redisRoom: room,
    pagePictures: new PagePictures({
      workers,
      folder: deps.reader.paths.pagePictures,
      maxBytes: config.LIMITS.pagePicturesBytes,
    }),
    answerCache: new AnswerCache(deps.reader, deps.clock),
    answerGroup: new AnswerGroup(),
    compressor: new Compressor(),
    caches: new Caches(),
    metrics,
    streams,
    commits,
    pageStreams,
    workers,
    boundedLog: new BoundedLog(deps.log, deps.clock),
    crawlerKey: readPublicKey(config),
    keys: readRegistryKeys(config),
    baseUrl,
    openapi,
    description: computeOnce(() => toYaml(openapi())),
    asyncapi: computeOnce(() => buildAsyncapi(baseUrl())),
  }
}

function watchConnections(app: FastifyInstance, services: Services): Connections {
  const { config, boundedLog, metrics } = services
  const connectionsMax = computeConnectionsMax(config.LIMITS.connections)
  const connections = new Connections(connectionsMax, boundedLog, socket => {
    metrics.countLimit('connections')
    refuseConnection(socket)
  })
  connections.watch(app.server)
  metrics.watch('registry_connections', () => connections.count)
  return connections
}

/**
 * Limits how long a request may take to arrive, so that a client that sends byte by byte cannot hold a
 * connection.
 */
function buildTimeouts({ LIMITS: { requestMs } }: Config) {
  return {
    requestTimeout: requestMs,
    http: {
      connectionsCheckingInterval: Math.min(requestMs, TIMEOUT_CHECK_MS),
      headersTimeout: requestMs,
      requestTimeout: requestMs,
      // Refused in our words (malformed-requests.ts).
      requireHostHeader: false,
    },
  }
}

/** Reads the keys of the registry's own tokens; undefined where another provider is set, or no keys. */
function readOwnTokenKeys(config: Config) {
  return config.AUTH_ISSUER === undefined ? readTokenKeys(config) : undefined
}

function readPublicKey({ CRAWL_SIGNING_KEY }: Config) {
  return CRAWL_SIGNING_KEY === undefined ? undefined : readSigningKey(CRAWL_SIGNING_KEY).public
}
