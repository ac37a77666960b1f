import { FairQueue } from '../../pipeline/core/fair-queue.ts'
import type { Sent, Streamed } from '../responses/reply.ts'
import type { TaskOrigin } from '../workers/worker-pool.ts'
import type { Call, Operation } from './operation.ts'
import type { Services } from './services.ts'

/** Concurrent calls of one operation: queries to the snapshot run on three connections. */
const QUERIES_MAX = 4
const BUSY_MESSAGE = 'too many lists are requested at once; try again'

// biome-ignore lint/suspicious/noExplicitAny: only the declaration of an operation knows its own input
type AnyCall = Call<any, any, any, any>
type Answering = (call: AnyCall) => Sent | Streamed | Promise<Sent>

/** Chooses how an operation is answered: from the cache, queued by caller, or at once. */
export function chooseAnswering(operation: Operation, services: Services): Answering {
  const { id, cacheKey, queriesSnapshot } = operation
  const handle: Answering = call => operation.handle(call)
  const queued = queriesSnapshot ? queueByCaller(handle, services) : handle
  if (cacheKey === undefined) return queued
  return call => {
    const { query, params } = call
    const question = JSON.stringify([id, cacheKey(call), query, params])
    const make = async () => (await queued(call)) as Sent
    return services.answerCache.answer(question, make, !queriesSnapshot)
  }
}

function queueByCaller(handle: Answering, { config }: Services): Answering {
  const queue = new FairQueue({
    tools: [...Array(QUERIES_MAX).keys()],
    waitingMax: config.LIMITS.snapshotQueries,
    refusal: BUSY_MESSAGE,
  })
  return call => queue.run(toCallerKey(call), async () => (await handle(call)) as Sent)
}

/** Returns the key by which callers take turns: organization, else person, else address. */
export function toCallerKey({ principal, caller }: Pick<AnyCall, 'principal' | 'caller'>): string {
  return principal?.org_id ?? principal?.id ?? caller()
}

/** Converts a call to the part of it that the worker pool needs. */
export function toTaskOrigin(
  call: Pick<AnyCall, 'principal' | 'caller' | 'bodyBytes'>,
): TaskOrigin {
  return { caller: toCallerKey(call), bytes: call.bodyBytes() }
}
