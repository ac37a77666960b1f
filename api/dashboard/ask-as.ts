import type { FastifyInstance } from 'fastify'
import type { Services } from '../operation/services.ts'

/** A request to an operation, as a client would send it. */
export interface Asked {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  url: string
  query?: Readonly<Record<string, string>>
  payload?: object
}

/** An answer of an operation. */
export interface Answered<Body> {
  status: number
  /** Answer in JSON; empty for any other. */
  body: Body
  /** Bytes of the answer, with their type. */
  file: { bytes: Buffer; type: string }
  /** Sentence of a refusal. */
  refused: string | undefined
}

export type AskAs = <Body = Record<string, unknown>>(asked: Asked) => Promise<Answered<Body>>

/**
 * Creates the way in which a signed-in person asks the API: each question is a request to its route with a
 * token that ends within a minute and never leaves the process. So checks, roles, limits, and audit are
 * those of the API, and a page can do nothing that its person cannot.
 */
export function createAskAs(
  app: FastifyInstance,
  { tokens }: Pick<Services, 'tokens'>,
  userId: string,
  ip: string,
): AskAs {
  return async <Body>({ method, url, query, payload }: Asked) => {
    const search = query === undefined ? '' : `?${new URLSearchParams(query)}`
    const answer = await app.inject({
      method,
      url: url + search,
      remoteAddress: ip,
      headers: { authorization: `Bearer ${await tokens.issueOwn(userId)}` },
      ...(payload && { payload }),
    })
    const type = String(answer.headers['content-type'] ?? '')
    const body = (type.startsWith('application/json') ? answer.json() : {}) as Body
    const { error, message } = body as { error?: string; message?: string }
    const refused = answer.statusCode < 400 ? undefined : (message ?? error ?? 'it was refused')
    return { status: answer.statusCode, body, file: { bytes: answer.rawPayload, type }, refused }
  }
}
