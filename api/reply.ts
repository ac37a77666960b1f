import type { ServerResponse } from 'node:http'
import type { Instant } from '../pipeline/core/clock.ts'
import { type PublicErrorName, publicErrors } from '../pipeline/core/errors.ts'
import type { StoredAnswer } from '../pipeline/index/points/stored.ts'

/** What a handler answers with. Bytes are sent as they are, an object as its JSON. */
export interface Sent {
  status: number
  body: Buffer | string | object
  /** Media type; JSON where nothing is said. */
  type?: string
  etag?: string
  modifiedAt?: Instant
  headers?: Readonly<Record<string, string>>
}

/** An answer that is sent as it is made, or as long as the caller stays: `open` is given the connection. */
export interface Streamed {
  headers: Readonly<Record<string, string>>
  /** Of what would be sent; who holds it already is told so instead. */
  etag?: string
  open(response: ServerResponse): void
}

export function ok(body: Sent['body'], headers?: Sent['headers']): Sent {
  return headers === undefined ? { status: 200, body } : { status: 200, body, headers }
}

export function okStored(stored: StoredAnswer, headers?: Sent['headers']): Sent {
  return headers === undefined ? { status: 200, ...stored } : { status: 200, ...stored, headers }
}

/** Done, and nothing to say of it. */
export const noContent: Sent = { status: 204, body: '' }

/** For an answer that nobody shall keep. */
export const notKept = { 'cache-control': 'no-store' }

/**
 * A refusal that is an ordinary answer, such as a domain nobody knows: asked for often, so it costs
 * no exception.
 */
export function refused(error: PublicErrorName, text: string, fields: object): Sent {
  return { status: publicErrors[error].status, body: { error: text, ...fields }, headers: notKept }
}
