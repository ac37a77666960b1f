import type {
  FastifyReply,
  FastifyRequest,
  onRequestHookHandler,
  onResponseHookHandler,
  preHandlerHookHandler,
} from 'fastify'
import { PublicError } from '../../pipeline/core/errors.ts'
import { authenticate, identifyCaller } from '../auth/principal.ts'
import { toCaller } from '../limits/caller.ts'
import { CallerConcurrency } from '../limits/caller-concurrency.ts'
import { deriveIdempotentId } from './idempotency.ts'
import type { Operation } from './operation.ts'
import type { Services } from './services.ts'

const RETRY_AFTER_S = 5

/** Builds the checks that run before the body is read, and the release of what they hold after the answer. */
export function buildHooks(operation: Operation, services: Services) {
  const { access, once, quota, isLaborious, storeless, checksInputFirst } = operation
  const concurrency =
    isLaborious && new CallerConcurrency(services.config.LIMITS.largeBodiesPerCaller)
  const identifying = access === 'public' ? [] : [attachCaller(access, services)]
  const onRequest: onRequestHookHandler[] = [
    ...(storeless ? [] : [requireStores(services)]),
    ...(checksInputFirst ? [] : identifying),
    ...(once || quota ? [nameRequest] : []),
    ...(quota ? [reserveQuota(services)] : []),
    ...(concurrency ? [limitLaborious(concurrency)] : []),
  ]
  return {
    ...(onRequest.length > 0 && { onRequest }),
    ...(checksInputFirst && { preHandler: identifying as preHandlerHookHandler[] }),
    ...(concurrency && { onResponse: [leaving] }),
  }
}

/** Refuses a request while the stores are not open: without them not even a 404 can be given. */
function requireStores({ reader }: Services): onRequestHookHandler {
  return (_request, _reply, done) => {
    if (reader.serving !== undefined) return done()
    const fields = { retry_after: RETRY_AFTER_S }
    return done(new PublicError('unavailable', 'the stores are not available; try again', fields))
  }
}

/** Ways to identify the caller; an optional credential cannot fail. */
const callers = { bearer: authenticate, optional: identifyCaller }

function attachCaller(access: keyof typeof callers, services: Services): onRequestHookHandler {
  return (request, _reply, done) => {
    const found = callers[access](services, request.headers.authorization)
    if (found instanceof Promise) {
      found.then(principal => {
        request.principal = principal
        done()
      }, done)
      return
    }
    request.principal = found
    done()
  }
}

/** Sets the id of a write. */
async function nameRequest(request: FastifyRequest) {
  const { headers, principal, url } = request
  request.attempt = deriveIdempotentId(headers, url.split('?', 1)[0]!, principal!)
}

/** Counts a save before the request is checked: invalid requests count too. */
function reserveQuota({ saves, clock }: Services) {
  return async ({ attempt: id, principal }: FastifyRequest, reply: FastifyReply) => {
    const { id: user, org_id: organization } = principal!
    reply.headers(await saves.reserve({ id, user, organization }, clock.now()))
  }
}

function limitLaborious(concurrency: CallerConcurrency): onRequestHookHandler {
  return (request, _reply, done) => {
    const { principal } = request
    request.leave = concurrency.admit(principal?.org_id ?? principal?.id ?? toCaller(request.ip))
    done()
  }
}

const leaving: onResponseHookHandler = (request, _reply, done) => {
  request.leave?.()
  done()
}
