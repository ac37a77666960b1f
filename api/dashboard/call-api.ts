import type { FastifyInstance } from 'fastify'
import { findField } from '../../pipeline/core/error-sentence.ts'
import type { Services } from '../operation/services.ts'
import { describeRefusal } from '../pages/describe-refusal.ts'

/** A request to an operation, as a client would send it. */
export interface ApiRequest {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  url: string
  query?: Readonly<Record<string, string>>
  payload?: object
}

/** An answer of an operation. */
export interface ApiAnswer<Body> {
  status: number
  /** The JSON body; empty if the answer is not JSON. */
  body: Body
  /** The body as bytes, with its media type. */
  file: { bytes: Buffer; type: string }
  /** The refusal as a sentence; undefined if the request succeeded. */
  refused: string | undefined
  /** The field that the refusal is about, if it is a single one. */
  field: string | undefined
}

export type CallApi = <Body = Record<string, unknown>>(
  request: ApiRequest,
) => Promise<ApiAnswer<Body>>

/**
 * Creates the function with which pages call the API for a signed-in person. Each call is a request to the
 * route of an operation, with a token that expires within a minute and never leaves the process. So the
 * checks, roles, limits and audit log of the API apply, and a page can do nothing that its person could not
 * do. `once` is the key of a form that counts once.
 */
export function createApiCaller(
  app: FastifyInstance,
  { tokens }: Pick<Services, 'tokens'>,
  userId: string,
  { ip, once }: { ip: string; once: string | undefined },
): CallApi {
  return async <Body>({ method, url, query, payload }: ApiRequest) => {
    const search = query === undefined ? '' : `?${new URLSearchParams(query)}`
    const answer = await app.inject({
      method,
      url: url + search,
      remoteAddress: ip,
      headers: {
        authorization: `Bearer ${await tokens.issueInternal(userId)}`,
        ...(once && { 'idempotency-key': once }),
      },
      ...(payload && { payload }),
    })
    const type = String(answer.headers['content-type'] ?? '')
    const body = (type.startsWith('application/json') ? answer.json() : {}) as Body
    const { error, message } = body as { error?: string; message?: string }
    const refused =
      answer.statusCode < 400
        ? undefined
        : describeRefusal(message ?? error ?? 'The request was rejected', payload)
    const field = refused === undefined ? undefined : findField(message ?? error ?? '')
    const file = { bytes: answer.rawPayload, type }
    return { status: answer.statusCode, body, file, refused, field }
  }
}
