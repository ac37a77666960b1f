import { randomUUID } from 'node:crypto'
import rateLimit from '@fastify/rate-limit'
import { type FastifyInstance, fastify } from 'fastify'
import type { Desk } from '../jobs/enqueue.ts'
import type { Clock } from '../pipeline/core/clock.ts'
import type { Config } from '../pipeline/core/config.ts'
import type { Log } from '../pipeline/core/log.ts'
import { readSigningKey } from '../pipeline/core/signing-key.ts'
import type { Reader } from '../pipeline/index/reader.ts'
import { readBodies } from './bodies.ts'
import { Budget } from './budget.ts'
import { Demand } from './demand.ts'
import { answerErrors, publicErrorOf, sendError } from './errors.ts'
import { FeedStreams } from './feed-streams.ts'
import { IssuerKeys } from './issuer-keys.ts'
import { rateLimiting } from './limits.ts'
import { answerMalformed, answerOdd } from './malformed.ts'
import { addMcp, MCP_PATH } from './mcp/endpoint.ts'
import { Metrics } from './metrics.ts'
import { describeApi, openapiOf } from './openapi.ts'
import { CrawlQuota } from './quota.ts'
import type { ScriptStore } from './redis-script.ts'
import { referencePage } from './reference/page.ts'
import { Reports } from './reports.ts'
import { addRoutes } from './route.ts'
import { operations } from './routes/index.ts'
import { SaveQuota } from './save-quota.ts'
import type { Services } from './services.ts'
import { answerUnknown } from './unknown.ts'
import { UserTokens } from './user-tokens.ts'
import { compileValidator } from './validation.ts'

export interface AppDeps {
  config: Config
  reader: Reader
  clock: Clock
  log: Log
  desk: Pick<Desk, 'submit' | 'send'>
  /** A connection that gives up at once; without one nothing is counted together. */
  redis?: ScriptStore
  /** Has the keys of the identity provider read; one that only looks when it must, where none is given. */
  issuerKeys?: IssuerKeys
}

const PARAM_CHARS = 2_048
const BODY_BYTES = 1024 * 1024
const CHECKING_MS = 15_000

/** The API over stores that are open. Starts nothing and closes nothing but itself. */
export function buildApp(deps: AppDeps): FastifyInstance {
  const app = fastify({
    logger: false,
    bodyLimit: BODY_BYTES,
    genReqId: requestIds(),
    trustProxy: deps.config.TRUSTED_PROXIES,
    ...patience(deps.config),
    routerOptions: { maxParamLength: PARAM_CHARS, ignoreTrailingSlash: true },
    clientErrorHandler: answerMalformed,
    frameworkErrors: (error, _request, reply) => {
      sendError(publicErrorOf(error), reply)
    },
  })
  const services = servicesOf(app, deps)
  answerOdd(app.server)
  readBodies(app)
  app.setValidatorCompiler(compileValidator)
  answerErrors(app, services)
  answerUnknown(app, [...operations, { method: 'POST', path: MCP_PATH }])
  app.register(rateLimit, rateLimiting(deps.redis))
  app.register(async scope => addRoutes(scope, operations, services))
  addMcp(app, operations, services)
  return app
}

function servicesOf(app: FastifyInstance, deps: AppDeps): Services {
  const { config, redis, issuerKeys = new IssuerKeys(deps), ...rest } = deps
  const baseUrl = () => (config.BASE_URL ?? app.listeningOrigin).replace(/\/+$/, '')
  const metrics = new Metrics(deps.reader)
  const streams = new FeedStreams(deps.reader, config, deps.log)
  metrics.watch('registry_feed_streams', 'open streams of the feed', () => streams.count)
  const demand = new Demand(deps.desk, config.LIMITS, deps.log)
  app.addHook('preClose', async () => {
    demand.close()
    streams.close()
  })
  return {
    ...rest,
    config,
    quota: new CrawlQuota(redis, config),
    saves: new SaveQuota(redis, config),
    tokens: new UserTokens(config, deps.reader, issuerKeys),
    budget: new Budget(redis, config),
    demand,
    reports: new Reports(redis, config),
    metrics,
    streams,
    crawlerKey: publicKeyOf(config),
    baseUrl,
    description: once(() => describeApi(operations, baseUrl())),
    reference: once(() => referencePage(openapiOf(operations, baseUrl()))),
  }
}

/** Ids of requests: no other process gives out the same, so one leads from the audit to the log. */
function requestIds(): () => string {
  const process = randomUUID().slice(0, 8)
  let count = 0
  return () => `${process}-${(count++).toString(36)}`
}

/** How long a request may take to arrive: whoever sends it by drops holds a connection no longer. */
function patience({ LIMITS: { requestMs } }: Config) {
  const looked = { connectionsCheckingInterval: Math.min(requestMs, CHECKING_MS) }
  return {
    requestTimeout: requestMs,
    http: { ...looked, headersTimeout: requestMs, requestTimeout: requestMs },
  }
}

/** Made when it is first asked for: only then is it known where the API listens. */
function once<Value>(make: () => Value): () => Value {
  let made: Value | undefined
  return () => {
    made ??= make()
    return made
  }
}

function publicKeyOf({ CRAWL_SIGNING_KEY }: Config) {
  return CRAWL_SIGNING_KEY === undefined ? undefined : readSigningKey(CRAWL_SIGNING_KEY).public
}
