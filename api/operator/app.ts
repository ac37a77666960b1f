import { setTimeout } from 'node:timers/promises'
import { type FastifyError, type FastifyInstance, fastify } from 'fastify'
import type { ProcessReport } from '../../jobs/metrics/messages.ts'
import { renderMetrics } from '../../jobs/metrics/role-metrics.ts'
import type { Config } from '../../pipeline/core/config.ts'
import { PublicError, toErrorBody } from '../../pipeline/core/errors.ts'
import type { Log } from '../../pipeline/core/log.ts'
import { assertOperator, type OperatorAccess } from './access.ts'
import type { OperatorMetrics } from './operator-metrics.ts'
import { renderStartPage, type StartPage, startPageHeaders } from './start-page.ts'

export interface OperatorDeps {
  config: OperatorAccess & Pick<Config, 'LIMITS'>
  log: Log
  metrics: OperatorMetrics
  /** Reads the reports of the processes about themselves. */
  readReports(): Promise<ProcessReport[]>
  /** Finds what `/readyz` answers 503 for, as sentences. */
  findProblems(reports: readonly ProcessReport[]): Promise<string[]>
  /** Finds what is wrong although everything is answered, as sentences. */
  findCopyProblems(reports: readonly ProcessReport[]): string[]
  /** Finds what needs attention although all processes do their work, as sentences. */
  findNotes(reports: readonly ProcessReport[]): string[]
  /** Finds the problems that `status` names, which include those that were found; without it, there are no more. */
  readStatusProblems?: ((found: Found) => Promise<string[]>) | undefined
  queues: StartPage['queues']
  site: StartPage['site']
  version: StartPage['version']
}

/** Problems and notes that the reports of the processes contain. */
export interface Found {
  blocking: string[]
  notes: string[]
}

/** Time that the stores and the indexer have to tell more: a probe waits for the answer. */
const STATUS_MS = 4_000

const TEXT = 'text/plain; version=0.0.4; charset=utf-8'

/** Builds the server of the operator's port: a start page, metrics and health. */
export function buildOperatorApp(deps: OperatorDeps): FastifyInstance {
  const { config, metrics, readReports, findProblems, findNotes, queues, site, version } = deps
  const look = async () => {
    const reports = await readReports()
    const found = { blocking: await findProblems(reports), notes: findNotes(reports) }
    // This has to be told most of all while a store cannot be read, or the indexer does not answer.
    const more = deps.readStatusProblems?.(found).catch(() => undefined)
    const problems =
      (await Promise.race([more, setTimeout(STATUS_MS, undefined, { ref: false })])) ??
      found.blocking.concat(deps.findCopyProblems(reports))
    return { ...found, problems }
  }
  const app = fastify({ logger: false, requestTimeout: config.LIMITS.requestMs })
  app.addHook('onRequest', async (request, reply) => {
    reply.headers({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' })
    if (isProbe(request.url)) return undefined
    try {
      return assertOperator(request, reply, config)
    } catch (error) {
      // Answered here, because the queue board has an error handler of its own.
      if (!(error instanceof PublicError)) throw error
      return reply.code(error.status).send(error.body)
    }
  })
  app.setErrorHandler((error: FastifyError, _request, reply) => {
    const known = toPublicError(error)
    const body = known?.body ?? toErrorBody('internal_error', 'internal error')
    if (known === undefined) deps.log.error({ error }, 'request to the operator port failed')
    return reply.code(known?.status ?? 500).send(body)
  })
  app.setNotFoundHandler((request, reply) => {
    const missing = queues === 'need a token' && /^\/queues(?:[/?]|$)/.test(request.url)
    const text = missing
      ? 'set OPERATOR_TOKEN to see the queues: jobs contain private data'
      : 'nothing is served at this path; / lists what is'
    return reply.code(404).send(toErrorBody('not_found', text))
  })
  app.get('/', async (_request, reply) => {
    const { problems, notes } = await look()
    return reply
      .headers(startPageHeaders)
      .send(renderStartPage({ problems, notes, queues, site, version }))
  })
  // Browsers ask for it on their own.
  app.get('/favicon.ico', (_request, reply) => reply.code(204).send())
  app.get('/healthz', () => ({ status: 'ok' }))
  app.get('/readyz', async (_request, reply) => {
    const { blocking, problems, notes } = await look()
    const isReady = blocking.length === 0
    const status = isReady ? 'ready' : 'not_ready'
    return reply.code(isReady ? 200 : 503).send({ status, problems, blocking, notes })
  })
  app.get('/metrics', async (_request, reply) => {
    const reports = await readReports()
    const own = await metrics.read(reports)
    const values = reports.flatMap(report => (report.values ? [report.values] : []))
    return reply.type(TEXT).send(await renderMetrics([own, ...values]))
  })
  return app
}

/** Tells whether a request comes from a probe, which has no token. */
function isProbe(url: string): boolean {
  return url === '/healthz' || url === '/readyz'
}

/** Converts an error to one that the caller may see; undefined if the fault is ours. */
function toPublicError(error: FastifyError): PublicError | undefined {
  if (error instanceof PublicError) return error
  const { statusCode = 500, message } = error
  return statusCode < 500 ? new PublicError('invalid_request', `body: ${message}`) : undefined
}
