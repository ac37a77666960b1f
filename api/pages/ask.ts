import type { z } from 'zod'
import { PublicError, type PublicErrorName, refuse } from '../../pipeline/core/errors.ts'
import { describeIssue } from '../../pipeline/core/validation-messages.ts'
import { declareCache } from '../../pipeline/read/cache/caches.ts'
import type { Reader } from '../../pipeline/read/reader.ts'
import { chooseAnswering } from '../operation/answering.ts'
import type { Call, Operation } from '../operation/operation.ts'
import type { Services } from '../operation/services.ts'
import { isContent } from '../responses/reply.ts'

/** Path and query of a request, as a client would send them. */
export interface PageRequest {
  query?: Readonly<Record<string, string>>
  params?: Readonly<Record<string, string>>
}

export interface Reply<Body> {
  status: number
  body: Body
}

/** Calls an operation without a credential, and reads its answer as a client would. */
export type Ask = <Body>(operation: Operation, request?: PageRequest) => Promise<Reply<Body>>

type PageCall = Call<unknown, unknown, unknown, 'public'>
type Answering = ReturnType<typeof chooseAnswering>

/**
 * The answering functions of operations, chosen once per app, so that each operation has a single queue of
 * callers.
 */
const answerings = declareCache(() => new Map<Operation, Answering>())

/**
 * Creates the function with which a page calls operations: with the same checks, queues and cached answers as
 * a request of its caller, but without a credential. So a page shows only what everybody may see.
 */
export function createAsk(call: PageCall): Ask {
  return async <Body>(operation: Operation, { query = {}, params = {} }: PageRequest = {}) => {
    const answer = findAnswering(operation, call.services)
    const sent = await answer({
      ...call,
      query: parseInput(operation.query, query),
      params: parseInput(operation.params, params),
      body: undefined,
      principal: undefined,
    })
    if ('open' in sent) throw new Error(`${operation.id} streams: no page can show it`)
    const { status, body, release } = sent
    const reply = { status, body: (isContent(body) ? JSON.parse(body.toString()) : body) as Body }
    release?.()
    return reply
  }
}

function parseInput(schema: z.ZodType | undefined, input: unknown): unknown {
  const read = schema?.safeParse(input, { error: describeIssue })
  if (read === undefined || read.success) return read?.data
  const [issue] = read.error.issues
  return refuse('invalid_request', `${issue?.path.join('.')}: ${issue?.message}`)
}

function findAnswering(operation: Operation, services: Services): Answering {
  const chosen = answerings(services)
  const known = chosen.get(operation)
  if (known !== undefined) return known
  const answering = chooseAnswering(operation, services)
  chosen.set(operation, answering)
  return answering
}

/**
 * Loads a part of a page that needs a snapshot; undefined until the first is published. Any other refusal
 * refuses the whole page, which must not look as if there was nothing.
 */
export async function askIfReady<Value>(
  { snapshot }: Pick<Reader, 'snapshot'>,
  asking: () => Promise<Value>,
): Promise<Value | undefined> {
  const missing: PublicErrorName = 'unavailable'
  try {
    return await asking()
  } catch (error) {
    const isEarly = snapshot === undefined && error instanceof PublicError
    if (isEarly && error.error === missing) return undefined
    throw error
  }
}
