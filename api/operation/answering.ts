import { FairTurns } from '../limits/fair-turns.ts'
import type { Sent, Streamed } from '../responses/reply.ts'
import type { TaskAsked } from '../workers/worker-pool.ts'
import type { Call, Operation } from './operation.ts'
import type { Services } from './services.ts'

/** Concurrent queries of one kind: queries to the snapshot run on three connections. */
const AT_ONCE = 4
const BUSY = 'too many lists are requested at once; try again'

// biome-ignore lint/suspicious/noExplicitAny: only the declaration of an operation knows its own input
type AnyCall = Call<any, any, any, any>
type Answering = (call: AnyCall) => Sent | Streamed | Promise<Sent>

/** Chooses how an operation is answered: from the cache, in the caller's turn, or at once. */
export function chooseAnswering(operation: Operation, services: Services): Answering {
  const { id, cacheKey } = operation
  const handle: Answering = call => operation.handle(call)
  const inTurn = operation.asksSnapshot ? queueByCaller(handle, services) : handle
  if (cacheKey === undefined) return inTurn
  return call => {
    const { query, params } = call
    const question = JSON.stringify([id, cacheKey(call), query, params])
    return services.answerCache.answer(question, async () => (await inTurn(call)) as Sent)
  }
}

function queueByCaller(handle: Answering, { config }: Services): Answering {
  const turns = new FairTurns({
    atOnce: AT_ONCE,
    waiting: config.LIMITS.snapshotQueries,
    busy: BUSY,
  })
  return call => turns.run(toCallerKey(call), async () => (await handle(call)) as Sent)
}

/** Returns the key by which callers take turns: organization, else person, else address. */
export function toCallerKey({ principal, caller }: Pick<AnyCall, 'principal' | 'caller'>): string {
  return principal?.org_id ?? principal?.id ?? caller()
}

/** Converts a call to the part of it that the worker pool needs. */
export function toTaskAsked(call: Pick<AnyCall, 'principal' | 'caller' | 'bodyBytes'>): TaskAsked {
  return { caller: toCallerKey(call), bytes: call.bodyBytes() }
}
