import { timingSafeEqual } from 'node:crypto'
import rateLimit from '@fastify/rate-limit'
import { type FastifyError, type FastifyInstance, type FastifyRequest, fastify } from 'fastify'
import type { RoleMetrics } from '../../jobs/metrics/role-metrics.ts'
import { type Clock, MINUTE } from '../../pipeline/core/clock.ts'
import type { Config } from '../../pipeline/core/config.ts'
import type { Log } from '../../pipeline/core/log.ts'
import { requireValue } from '../../pipeline/core/present.ts'
import { buildRequestProfile } from '../../pipeline/signing/profile.ts'
import { toCaller } from '../limits/caller.ts'
import { preflight } from '../operation/cross-origin.ts'
import { addA2aCards, addA2aEndpoints } from './a2a-endpoint.ts'
import type { AgentServices } from './call-task.ts'
import { limitCredentials } from './credential-quota.ts'
import { TaskError } from './errors.ts'
import { answerError, sendFailure } from './http-failure.ts'
import { addMcpEndpoints } from './mcp-endpoint.ts'
import { AgentMetrics } from './metrics.ts'
import { addPages } from './pages.ts'
import { listProtocolNames, toTaskName } from './protocol-names.ts'
import { buildQuotaStore } from './quota-store.ts'
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
  /** Counts tasks; metrics of its own by default. */
  metrics?: RoleMetrics
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
    now: () => clock.now(),
    state,
    signedTasks: config.AGENT_SIGNED_TASKS.map(name => toTaskName(name, config.PROTOCOL_NAME)),
    requestProfile: buildProfiles(config)[0],
    metrics: new AgentMetrics(deps.metrics),
    onError: error => log.error({ error }, 'a task failed'),
  }
  app.setErrorHandler((error: FastifyError, _request, reply) => answerError(error, reply, services))
  app.setNotFoundHandler((_request, reply) =>
    sendFailure(
      reply,
      404,
      new TaskError('REFERENCE_NOT_FOUND', 'There is nothing at this path'),
      config.PROTOCOL_NAME,
    ),
  )
  app.register(rateLimit, {
    max: config.LIMITS.agentCallsPerMinute,
    timeWindow: MINUTE,
    enableDraftSpec: true,
    store: buildQuotaStore(state.calls, () => clock.now()),
    keyGenerator: ({ ip }) => `address ${toCaller(ip)}`,
  })
  app.get('/healthz', { config: { rateLimit: false } }, () => ({ status: 'ok' }))
  // It listens once its state is open, and needs nothing else.
  app.get('/readyz', { config: { rateLimit: false } }, () => ({ status: 'ready' }))
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
      await sendFailure(reply, 401, new TaskError('UNAUTHORIZED', message), config.PROTOCOL_NAME)
    })
    verifyRequests(scope, {
      ...signers,
      profiles: buildProfiles(config),
      state,
      now: () => clock.now(),
      toSignedUrl: path => toSignedUrl(path, services),
      protocolName: config.PROTOCOL_NAME,
      requiredFor: services.signedTasks,
    })
    limitCredentials(scope, {
      callsPerMinute: config.LIMITS.agentCredentialCallsPerMinute,
      protocolName: config.PROTOCOL_NAME,
    })
    addMcpEndpoints(scope, services)
    addA2aEndpoints(scope, services)
  })
  return app
}

/** Builds the profiles of signed requests: one for each name of the protocol, the configured one first. */
function buildProfiles({ PROTOCOL_NAME, SIGNING_PROFILE }: Config): SignatureOptions['profiles'] {
  const [first, ...others] = listProtocolNames(PROTOCOL_NAME).map(name =>
    buildRequestProfile(name, 'either', SIGNING_PROFILE),
  )
  return [requireValue(first, 'name of the protocol'), ...others]
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

/** Tells whether a request carries the test credential, as a Bearer token or in the protocol's own header. */
function hasCredential({ headers }: FastifyRequest, config: Config): boolean {
  const [, bearer] = /^Bearer (.+)$/i.exec(headers.authorization ?? '') ?? []
  const named = listProtocolNames(config.PROTOCOL_NAME).map(name => headers[`x-${name}-auth`])
  const presented = Buffer.from(bearer ?? String(named.find(value => value !== undefined) ?? ''))
  const expected = Buffer.from(config.TEST_AGENT_TOKEN)
  return presented.length === expected.length && timingSafeEqual(presented, expected)
}
