import type {
  FastifyReply,
  FastifyRequest,
  onRequestHookHandler,
  onResponseHookHandler,
  preHandlerHookHandler,
} from 'fastify'
import { PublicError } from '../../pipeline/core/errors.ts'
import { getFirst, requireValue } from '../../pipeline/core/present.ts'
import { requireWriter, selectOrganization } from '../auth/organization-access.ts'
import { OrganizationQuery } from '../auth/organization-query.ts'
import { authenticate, identifyCaller, type Principal } from '../auth/principal.ts'
import { toCaller } from '../limits/caller.ts'
import { CallerConcurrency } from '../limits/caller-concurrency.ts'
import { deriveIdempotentId } from './idempotency.ts'
import type { Operation } from './operation.ts'
import { buildReplicaRefusal } from './replica-refusal.ts'
import type { Services } from './services.ts'

const RETRY_AFTER_S = 5

/**
 * Builds the checks that run before the body is read, and the hook that releases the caller's slot after the
 * answer.
 */
export function buildHooks(operation: Operation, services: Services) {
  const { access, isIdempotent, quota, isExpensive, worksWithoutStores, checksInputFirst } =
    operation
  const concurrency =
    isExpensive && new CallerConcurrency(services.config.LIMITS.largeBodiesPerCaller)
  const identifying = access === 'public' ? [] : [attachCaller(operation, access, services)]
  const refusal = buildReplicaRefusal(operation, services)
  const onRequest: onRequestHookHandler[] = [
    ...(refusal ? [refusal] : []),
    ...(worksWithoutStores ? [] : [requireStores(services)]),
    ...(checksInputFirst ? [] : identifying),
    ...(isIdempotent || quota ? [setSubmissionId] : []),
    ...(quota ? [reserveQuota(services)] : []),
    ...(concurrency ? [limitExpensive(concurrency)] : []),
  ]
  return {
    ...(onRequest.length > 0 && { onRequest }),
    ...(checksInputFirst && { preHandler: identifying as preHandlerHookHandler[] }),
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
  return (request, _reply, done) => {
    const found = callers[access](services, request.headers.authorization)
    if (found instanceof Promise) {
      found
        .then(principal => principal && chooseOrganization(operation, principal, request.query))
        .then(principal => {
          request.principal = principal
          done()
        }, done)
      return
    }
    request.principal = found && chooseOrganization(operation, found, request.query)
    done()
  }
}

/**
 * Selects the organization that the query names, if the operation accepts one, and refuses writes that the
 * caller's role there does not allow.
 */
function chooseOrganization(operation: Operation, principal: Principal, query: unknown): Principal {
  const { org } = query as { org?: unknown }
  const named = typeof org === 'string' ? org.trim() : ''
  const isChosen = operation.query === OrganizationQuery && named !== ''
  const caller = isChosen ? selectOrganization(principal, named) : principal
  if (operation.writes && !operation.isPersonal) requireWriter(caller)
  return caller
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
