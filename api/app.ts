import { randomUUID } from 'node:crypto'
import rateLimit from '@fastify/rate-limit'
import { type FastifyInstance, fastify } from 'fastify'
import type { WriterClient } from '../jobs/api-client/enqueue.ts'
import type { Redis } from '../jobs/redis.ts'
import type { Clock } from '../pipeline/core/clock.ts'
import type { Config } from '../pipeline/core/config.ts'
import type { Log } from '../pipeline/core/log.ts'
import { readRegistryKeys } from '../pipeline/core/registry-keys.ts'
import { readSigningKey } from '../pipeline/core/signing-key.ts'
import { readTokenKeys } from '../pipeline/core/token-keys.ts'
import { PushStateFile } from '../pipeline/push/state.ts'
import { Caches } from '../pipeline/read/cache/caches.ts'
import type { Reader } from '../pipeline/read/reader.ts'
import { IssuerKeys } from './auth/issuer-keys.ts'
import { UserTokens } from './auth/user-tokens.ts'
import { addIdentity, identityPlaces } from './identity/endpoints.ts'
import { Identity } from './identity/identity.ts'
import { Connections, countConnections } from './limits/connection-limit.ts'
import { CrawlQuota } from './limits/crawl.ts'
import { Outbound } from './limits/outbound.ts'
import { rateLimiting } from './limits/per-address.ts'
import { ReceiverQuota } from './limits/receivers.ts'
import { SaveQuota } from './limits/save.ts'
import { StoryboardQuota } from './limits/storyboards.ts'
import { Demand } from './live/demand.ts'
import { RunStorage } from './live/run-storage.ts'
import { addMcp, MCP_PATH } from './mcp/endpoint.ts'
import { BoundedLog } from './operation/bounded-log.ts'
import { answerWhileClosing } from './operation/closing.ts'
import { answerErrors, sendError, toPublicError } from './operation/http-errors.ts'
import { answerMalformed, answerOdd } from './operation/malformed-requests.ts'
import { Metrics } from './operation/metrics.ts'
import { describeApi } from './operation/openapi.ts'
import { readBodies } from './operation/request-bodies.ts'
import { addRoutes } from './operation/route.ts'
import type { Services } from './operation/services.ts'
import { answerUnknown } from './operation/unknown-routes.ts'
import { compileValidator } from './operation/validation.ts'
import { pages } from './pages/index.ts'
import { loadReference } from './reference/scalar.ts'
import { AnswerCache } from './responses/answer-cache.ts'
import { AnswerGroup } from './responses/answer-group.ts'
import { Compressor } from './responses/compression.ts'
import { FeedStreams } from './responses/feed-streams.ts'
import { Reports } from './responses/reports.ts'
import { operations } from './routes/index.ts'
import { WorkerPool } from './workers/worker-pool.ts'

export interface AppDeps {
  config: Config
  reader: Reader
  clock: Clock
  log: Log
  writer: Omit<WriterClient, 'ask' | 'close'>
  /** A connection that fails at once; without one nothing is counted across processes. */
  redis?: Redis
  /** Fetches the keys of the identity provider; by default only when a token requires it. */
  issuerKeys?: IssuerKeys
}

const PARAM_CHARS = 2_048
const BODY_BYTES = 1024 * 1024
const CHECKING_MS = 15_000

/** Builds the API over open stores. Starts nothing, and closes nothing but itself. */
export function buildApp(deps: AppDeps): FastifyInstance {
  const app = fastify({
    logger: false,
    bodyLimit: BODY_BYTES,
    genReqId: requestIds(),
    trustProxy: deps.config.TRUSTED_PROXIES,
    ...buildTimeouts(deps.config),
    // In our words (closing.ts), not the framework's.
    return503OnClosing: false,
    routerOptions: { maxParamLength: PARAM_CHARS, ignoreTrailingSlash: true },
    clientErrorHandler: answerMalformed,
    frameworkErrors: (error, _request, reply) => {
      sendError(toPublicError(error), reply)
    },
  })
  const services = buildServices(app, deps)
  answerOdd(app.server)
  const connections = watchConnections(app, services)
  answerWhileClosing(app, connections)
  readBodies(app)
  app.setValidatorCompiler(compileValidator)
  answerErrors(app, services)
  const tokenKeys = readOwnTokenKeys(deps.config)
  const identity = tokenKeys && new Identity(tokenKeys, deps.redis)
  const more = [{ method: 'POST', path: MCP_PATH } as const, ...(identity ? identityPlaces : [])]
  answerUnknown(app, [...operations, ...pages, ...more])
  app.register(rateLimit, rateLimiting(deps.redis))
  app.register(async scope => addRoutes(scope, operations, services))
  app.register(async scope => addRoutes(scope, pages, services))
  addMcp(app, operations, services)
  if (identity !== undefined) addIdentity(app, identity, services)
  return app
}

function buildServices(app: FastifyInstance, deps: AppDeps): Services {
  const { config, redis, issuerKeys = new IssuerKeys(deps), ...rest } = deps
  const baseUrl = () => (config.BASE_URL ?? app.listeningOrigin).replace(/\/+$/, '')
  const metrics = new Metrics(deps.reader)
  const streams = new FeedStreams(deps.reader, config, deps.log)
  metrics.watch('registry_feed_streams', 'open streams of the feed', () => streams.count)
  const workers = new WorkerPool(config.LIMITS.largeBodiesAtOnce)
  const demand = new Demand(deps.writer, config.LIMITS, deps)
  app.addHook('preClose', async () => {
    demand.close()
    runStorage.close()
    streams.close()
  })
  const tokenKeys = readOwnTokenKeys(config)
  const runStorage = new RunStorage(deps.log)
  const pushState = new PushStateFile(deps.reader.paths.pushState)
  app.addHook('onClose', async () => {
    await workers.close()
    await pushState.close()
  })
  return {
    ...rest,
    config,
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
      tokenKeys && { keys: tokenKeys.public, baseUrl },
    ),
    outbound: new Outbound(deps.writer, config, deps.clock),
    demand,
    reports: new Reports(redis, config),
    answerCache: new AnswerCache(deps.reader, deps.clock),
    answerGroup: new AnswerGroup(),
    compressor: new Compressor(),
    caches: new Caches(),
    metrics,
    streams,
    workers,
    boundedLog: new BoundedLog(deps.log, deps.clock),
    crawlerKey: readPublicKey(config),
    keys: readRegistryKeys(config),
    baseUrl,
    description: makeOnce(() => describeApi(operations, baseUrl())),
    reference: makeOnce(loadReference),
  }
}

function watchConnections(app: FastifyInstance, services: Services): Connections {
  const { config, boundedLog, metrics } = services
  const connections = new Connections(countConnections(config.LIMITS.connections), boundedLog)
  connections.watch(app.server)
  metrics.watch('registry_connections', 'open connections', () => connections.count)
  return connections
}

/**
 * Returns a generator of request ids. No other process issues the same ids, so an id leads from the audit
 * to the log.
 */
function requestIds(): () => string {
  const process = randomUUID().slice(0, 8)
  let count = 0
  return () => `${process}-${(count++).toString(36)}`
}

/**
 * Limits how long a request may take to arrive, so that a client that sends byte by byte cannot hold a
 * connection.
 */
function buildTimeouts({ LIMITS: { requestMs } }: Config) {
  const looked = { connectionsCheckingInterval: Math.min(requestMs, CHECKING_MS) }
  return {
    requestTimeout: requestMs,
    http: { ...looked, headersTimeout: requestMs, requestTimeout: requestMs },
  }
}

/** Returns a function that makes a value on its first call: only then is it known where the API listens. */
function makeOnce<Value>(make: () => Value): () => Value {
  let made: Value | undefined
  return () => {
    made ??= make()
    return made
  }
}

/** Reads the keys of the registry's own tokens; undefined where another provider is set, or no keys. */
function readOwnTokenKeys(config: Config) {
  return config.AUTH_ISSUER === undefined ? readTokenKeys(config) : undefined
}

function readPublicKey({ CRAWL_SIGNING_KEY }: Config) {
  return CRAWL_SIGNING_KEY === undefined ? undefined : readSigningKey(CRAWL_SIGNING_KEY).public
}
