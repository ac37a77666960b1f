import type { ServerResponse } from 'node:http'
import type { Instant } from '../../pipeline/core/clock.ts'
import { type PublicErrorName, publicErrors, toErrorBody } from '../../pipeline/core/errors.ts'
import type { LentBytes } from '../../pipeline/read/lookups/buffer-builder.ts'
import type { StoredAnswer } from '../../pipeline/read/lookups/stored.ts'
import type { Encoding } from './compression.ts'

/** Result of a handler. Bytes are sent as they are, an object as JSON. */
export interface Sent {
  status: number
  body: Buffer | string | object
  /** Media type; JSON where nothing is said. */
  type?: string
  etag?: string | undefined
  modifiedAt?: Instant | undefined
  headers?: Readonly<Record<string, string>> | undefined
  /** Compressed forms of the body, for an answer that is sent again. */
  compressed?: Map<Encoding, Buffer>
  /** Gives the bytes of the body back once the connection is done with them; not for what is kept. */
  release?: () => void
}

/** An answer that is sent as it is made, or as long as the caller stays: `open` is given the connection. */
export interface Streamed {
  headers: Readonly<Record<string, string>>
  /** ETag of the body; a caller who holds it gets 304 instead. */
  etag?: string
  open(response: ServerResponse): void
}

export function replyOk(body: Sent['body'], headers?: Sent['headers']): Sent {
  return headers === undefined ? { status: 200, body } : { status: 200, body, headers }
}

export function replyStored(stored: StoredAnswer, headers?: Sent['headers']): Sent {
  const { body, etag, modifiedAt } = stored
  return { status: 200, body, etag, modifiedAt, headers }
}

export function replyLent({ body, release }: LentBytes, headers?: Sent['headers']): Sent {
  return { status: 200, body, release, headers }
}

/** Done, and nothing to say of it. */
export const noContent: Sent = { status: 204, body: '' }

/** For an answer that must not be cached. */
export const noStore = { 'cache-control': 'no-store' }

/**
 * Builds a refusal that is an ordinary answer, such as an unknown domain: it is frequent, so it
 * costs no exception.
 */
export function replyRefused(error: PublicErrorName, text: string, fields: object): Sent {
  return {
    status: publicErrors[error].status,
    body: { ...toErrorBody(error, text), ...fields },
    headers: noStore,
  }
}
