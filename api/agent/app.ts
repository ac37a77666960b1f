import { timingSafeEqual } from 'node:crypto'
import rateLimit from '@fastify/rate-limit'
import {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  fastify,
} from 'fastify'
import { type Clock, MINUTE } from '../../pipeline/core/clock.ts'
import type { Config } from '../../pipeline/core/config.ts'
import type { Log } from '../../pipeline/core/log.ts'
import { toCaller } from '../limits/caller.ts'
import { anyOrigin, preflight } from '../operation/cross-origin.ts'
import { addA2aCards, addA2aEndpoints } from './a2a-endpoint.ts'
import type { AgentServices } from './call-task.ts'
import { TaskError } from './errors.ts'
import { addMcpEndpoints } from './mcp-endpoint.ts'
import { AgentMetrics } from './metrics.ts'
import { addPages } from './pages.ts'
import { type SignatureOptions, verifyRequests } from './request-signatures.ts'
import type { AgentState } from './state/store.ts'
import { addWellKnown } from './well-known.ts'

export interface AgentDeps {
  config: Config
  clock: Clock
  log: Log
  state: AgentState
  /** Keys that may sign requests; without it no request may be signed. */
  signers?: Pick<SignatureOptions, 'fetchJson' | 'trusted' | 'revoked'>
}

const BODY_BYTES = 1024 * 1024

/** Builds the reference agent: every tenant behind one port, with the public test credential. */
export function buildAgentApp(deps: AgentDeps): FastifyInstance {
  const { config, clock, log, state, signers = { revoked: [] } } = deps
  const { requestMs, connections } = config.LIMITS
  const app = fastify({
    logger: false,
    bodyLimit: BODY_BYTES,
    trustProxy: config.TRUSTED_PROXIES,
    requestTimeout: requestMs,
  })
  app.server.maxConnections = connections
  const origin = () => (config.AGENT_BASE_URL ?? app.listeningOrigin).replace(/\/+$/, '')
  const services: AgentServices = {
    protocolName: config.PROTOCOL_NAME,
    origin,
    toAddress: tenant => config.AGENT_URLS[tenant] ?? `${origin()}/${tenant}/mcp`,
    now: clock.now,
    state,
    signedTasks: config.AGENT_SIGNED_TASKS,
    metrics: new AgentMetrics(),
    onError: error => log.error({ error }, 'a task failed'),
  }
  app.setErrorHandler((error: FastifyError, _request, reply) => answerError(error, reply, services))
  app.setNotFoundHandler((_request, reply) =>
    sendError(reply, 404, new TaskError('REFERENCE_NOT_FOUND', 'There is nothing at this address')),
  )
  app.register(rateLimit, {
    max: config.LIMITS.agentCallsPerMinute,
    timeWindow: MINUTE,
    enableDraftSpec: true,
    keyGenerator: ({ ip }) => toCaller(ip),
  })
  app.get('/healthz', { config: { rateLimit: false } }, () => ({ status: 'ok' }))
  services.metrics.serve(app)
  app.options('/*', (_request, reply) => reply.code(204).headers(preflight).send())
  app.register(async scope => addWellKnown(scope, services))
  app.register(async scope => addA2aCards(scope, services))
  app.register(async scope => addPages(scope, services))
  app.register(async scope => {
    scope.addHook('onRequest', async (request, reply) => {
      if (request.method !== 'POST' || hasCredential(request, config)) return
      // A signature is a credential: it is verified as soon as the body is there.
      if (request.headers.signature !== undefined) return
      const challenge = buildChallenge(services)
      reply.header('www-authenticate', challenge)
      const message = 'Send the credential as Authorization: Bearer'
      await sendError(reply, 401, new TaskError('UNAUTHORIZED', message))
    })
    verifyRequests(scope, {
      ...signers,
      protocolName: config.PROTOCOL_NAME,
      state,
      now: clock.now,
      toSignedUrl: path => toSignedUrl(path, services),
      requiredFor: services.signedTasks,
    })
    addMcpEndpoints(scope, services)
    addA2aEndpoints(scope, services)
  })
  return app
}

/** Builds the challenge of a 401: the credential, or a signature if tasks must be signed. */
function buildChallenge({ origin, signedTasks }: AgentServices): string {
  const bearer = `Bearer realm="${origin()}"`
  if (signedTasks.length === 0) return bearer
  return `Signature error="request_signature_required", ${bearer}`
}

/** Converts a path of this server to its public address. */
function toSignedUrl(path: string, { origin, toAddress }: AgentServices): string {
  const [, tenant, transport] = /^\/([a-z-]+)\/(mcp|a2a)$/.exec(path) ?? []
  if (!tenant || !transport) return `${origin()}${path}`
  return toAddress(tenant).replace(/mcp$/, transport)
}

/** Answers requests that fail before a task is reached: too many calls, or a body that is not JSON. */
function answerError(error: FastifyError, reply: FastifyReply, { onError }: AgentServices) {
  const status = error.statusCode ?? 500
  if (error instanceof TaskError) return sendError(reply, status, error)
  if (status >= 500) onError(error)
  if (status === 429) {
    const retry_after = Number(reply.getHeader('retry-after') ?? 60)
    return sendError(reply, 429, new TaskError('RATE_LIMITED', 'Too many calls', { retry_after }))
  }
  const failure =
    status < 500
      ? new TaskError('INVALID_REQUEST', error.message)
      : new TaskError('SERVICE_UNAVAILABLE', 'This agent failed; try again later')
  return sendError(reply, status, failure)
}

function sendError(reply: FastifyReply, status: number, { code, message, details }: TaskError) {
  return reply
    .code(status)
    .headers(anyOrigin)
    .send({ code, message, ...details })
}

/** Tells whether a request carries the test credential, as a Bearer token or in the protocol's own header. */
function hasCredential({ headers }: FastifyRequest, config: Config): boolean {
  const [, bearer] = /^Bearer (.+)$/i.exec(headers.authorization ?? '') ?? []
  const presented = Buffer.from(bearer ?? String(headers[`x-${config.PROTOCOL_NAME}-auth`] ?? ''))
  const expected = Buffer.from(config.TEST_AGENT_TOKEN)
  return presented.length === expected.length && timingSafeEqual(presented, expected)
}
