import type { z } from 'zod'
import { PublicError, type PublicErrorName, refuse } from '../../pipeline/core/errors.ts'
import { declareCache } from '../../pipeline/read/cache/caches.ts'
import type { Reader } from '../../pipeline/read/reader.ts'
import { chooseAnswering } from '../operation/answering.ts'
import type { Call, Operation } from '../operation/operation.ts'
import type { Services } from '../operation/services.ts'

/** Path and query of a question, as a client would send them. */
export interface Asked {
  query?: Readonly<Record<string, string>>
  params?: Readonly<Record<string, string>>
}

export interface Reply<Body> {
  status: number
  body: Body
}

/** Asks an operation as anybody may, and reads its answer as a client would. */
export type Ask = <Body>(operation: Operation, asked?: Asked) => Promise<Reply<Body>>

type PageCall = Call<unknown, unknown, unknown, 'public'>
type Answering = ReturnType<typeof chooseAnswering>

/** The ways of answering operations, chosen once in an app: callers wait in one queue for each operation. */
const answerings = declareCache(() => new Map<Operation, Answering>())

/**
 * Creates the way in which one page asks: the same checks, turns and cached answers as a request of
 * its caller would have, without a credential. A page therefore shows what everybody may see.
 */
export function createAsk(call: PageCall): Ask {
  return async <Body>(operation: Operation, { query = {}, params = {} }: Asked = {}) => {
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
    const isText = typeof body === 'string' || Buffer.isBuffer(body)
    const reply = { status, body: (isText ? JSON.parse(body.toString()) : body) as Body }
    release?.()
    return reply
  }
}

function parseInput(schema: z.ZodType | undefined, input: unknown): unknown {
  const read = schema?.safeParse(input)
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
 * Waits for a part of a page that is missing until something was published; undefined until then. A
 * refusal for any other reason is one of the whole page: it must not look as if there was nothing.
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
