import type {
  FastifyReply,
  FastifyRequest,
  onRequestHookHandler,
  onResponseHookHandler,
  preHandlerHookHandler,
} from 'fastify'
import { PublicError } from '../../pipeline/core/errors.ts'
import { getFirst, requireValue } from '../../pipeline/core/present.ts'
import type { Reader } from '../../pipeline/read/reader.ts'
import {
  findOwnMembership,
  requireEditor,
  requireWritingKey,
  resolveOrganization,
} from '../auth/organization-access.ts'
import { OrganizationQuery } from '../auth/organization-query.ts'
import {
  authenticate,
  type CallerMembership,
  identifyCaller,
  type Principal,
} from '../auth/principal.ts'
import { chooseOwner, requireOwner } from '../checks/own-agent.ts'
import { toCaller } from '../limits/caller.ts'
import { CallerConcurrency } from '../limits/caller-concurrency.ts'
import { deriveIdempotentId } from './idempotency.ts'
import type { Operation } from './operation.ts'
import { buildReplicaRefusal } from './replica-refusal.ts'
import type { Services } from './services.ts'
import { refuseUnknown } from './unknown-parameters.ts'
import { createPathCheck } from './validation.ts'

const RETRY_AFTER_S = 5

/**
 * Builds the checks that run before the body is read, and the hook that releases the caller's slot after the
 * answer.
 */
export function buildHooks(operation: Operation, services: Services) {
  const { access, isIdempotent, quota, isExpensive, worksWithoutStores, pathComesFirst } = operation
  const concurrency =
    isExpensive && new CallerConcurrency(services.config.LIMITS.largeBodiesPerCaller)
  const identifying = access === 'public' ? [] : [attachCaller(operation, access, services)]
  const refusal = buildReplicaRefusal(operation, services)
  const checkNames = refuseUnknown(operation)
  const onRequest: onRequestHookHandler[] = [
    ...(refusal ? [refusal] : []),
    ...(worksWithoutStores ? [] : [requireStores(services)]),
    ...(pathComesFirst && operation.params ? [createPathCheck(operation.params)] : []),
    ...identifying,
    ...(isIdempotent || quota ? [setSubmissionId] : []),
    ...(quota ? [reserveQuota(services)] : []),
    ...(concurrency ? [limitExpensive(concurrency)] : []),
  ]
  return {
    ...(onRequest.length > 0 && { onRequest }),
    ...(checkNames && { preValidation: [checkNames] }),
    ...(operation.agentOwner && { preHandler: [requireAgentOwner(operation, services)] }),
    ...(concurrency && { onResponse: [releaseSlotAfterAnswer] }),
  }
}

/**
 * Refuses a request while the stores are not open: without them, nobody can say that something does not
 * exist.
 */
function requireStores({ reader }: Services): onRequestHookHandler {
  return (_request, _reply, done) => {
    if (reader.serving !== undefined) return done()
    const fields = { retry_after: RETRY_AFTER_S }
    return done(new PublicError('unavailable', 'the stores are not available; try again', fields))
  }
}

/** Ways to identify the caller; an optional credential cannot fail. */
const callers = { bearer: authenticate, optional: identifyCaller }

function attachCaller(
  operation: Operation,
  access: keyof typeof callers,
  services: Services,
): onRequestHookHandler {
  const choose = (request: FastifyRequest, principal: Principal) => {
    if (isForWriters(operation)) requireWritingKey(principal)
    // The organization that owns an agent is named by a query and a body that are not checked yet.
    const isChosenLater = operation.agentOwner !== undefined
    return isChosenLater ? principal : chooseOrganization(operation, principal, request, services)
  }
  return (request, _reply, done) => {
    const found = callers[access](services, request.headers.authorization)
    if (found instanceof Promise) {
      found
        .then(principal => principal && choose(request, principal))
        .then(principal => {
          request.principal = principal
          done()
        }, done)
      return
    }
    request.principal = found && choose(request, found)
    done()
  }
}

/** Chooses the organization that enrolled the agent, once the query and the body are checked. */
function requireAgentOwner(operation: Operation, services: Services): preHandlerHookHandler {
  return (request, _reply, done) => {
    const caller = requireValue(request.principal, 'caller')
    request.principal = chooseOrganization(operation, caller, request, services)
    done()
  }
}

/**
 * Returns the caller with the organization that the operation acts for as theirs, and refuses what their role
 * in it does not allow. This is decided here and before any handler runs, so nothing has left by then.
 */
function chooseOrganization(
  operation: Operation,
  principal: Principal,
  request: FastifyRequest,
  { reader }: Services,
): Principal {
  const membership = findMembership(operation, principal, request, reader)
  if (membership === undefined) return principal
  const { agentOwner, isPersonal } = operation
  const isForEditors = agentOwner !== undefined || isForWriters(operation)
  if (isForEditors && !isPersonal) requireEditor(membership)
  const { org_id, org_name } = membership
  return { ...principal, org_id, org_name }
}

/**
 * Tells whether an operation changes something whatever its body. What is for everybody is for viewers and for keys that
 * only read too: such an operation decides by its body.
 */
function isForWriters({ writes, access }: Operation): boolean {
  return writes === true && access === 'bearer'
}

/** Finds the organization that an operation acts for; undefined for callers without one. */
function findMembership(
  { agentOwner, query }: Operation,
  principal: Principal,
  request: FastifyRequest,
  reader: Reader,
): CallerMembership | undefined {
  if (agentOwner !== undefined) {
    const { encodedUrl } = request.params as { encodedUrl: string }
    return agentOwner === 'any'
      ? chooseOwner(principal, encodedUrl, reader)
      : requireOwner(principal, encodedUrl, reader, readNamedOrganization(request))
  }
  const { org } = request.query as { org?: unknown }
  const named = typeof org === 'string' ? org.trim() : ''
  if (query === OrganizationQuery && named !== '') return resolveOrganization(principal, named)
  return findOwnMembership(principal)
}

/** Reads the organization that a checked request names in its query or its body. */
function readNamedOrganization({ query, body }: FastifyRequest): string | undefined {
  const { org } = query as { org?: string }
  const { organization_id } = (body ?? {}) as { organization_id?: string }
  return organization_id ?? org
}

/** Sets the id of the submission that a write will make. */
async function setSubmissionId(request: FastifyRequest) {
  const { headers, principal, url } = request
  request.submissionId = deriveIdempotentId(
    headers,
    getFirst(url.split('?', 1)),
    requireValue(principal, 'caller'),
  )
}

/** Counts a save before the request is checked: invalid requests count too. */
function reserveQuota({ saves, clock }: Services) {
  return async ({ submissionId: id, principal }: FastifyRequest, reply: FastifyReply) => {
    const { id: user, org_id: organization } = requireValue(principal, 'caller')
    reply.headers(await saves.reserve({ id, user, organization }, clock.now()))
  }
}

function limitExpensive(concurrency: CallerConcurrency): onRequestHookHandler {
  return (request, _reply, done) => {
    const { principal } = request
    request.releaseSlot = concurrency.admit(
      principal?.org_id ?? principal?.id ?? toCaller(request.ip),
    )
    done()
  }
}

const releaseSlotAfterAnswer: onResponseHookHandler = (request, _reply, done) => {
  request.releaseSlot?.()
  done()
}
