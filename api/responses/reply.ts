import type { ServerResponse } from 'node:http'
import type { Instant } from '../../pipeline/core/clock.ts'
import { buildRefusal, type PublicErrorName } from '../../pipeline/core/errors.ts'
import type { LentBytes } from '../../pipeline/read/lookups/buffer-builder.ts'
import { ByteText } from '../../pipeline/read/lookups/byte-text.ts'
import type { StoredAnswer } from '../../pipeline/read/lookups/stored.ts'
import type { Encoding } from './compression.ts'

/** Content as it is sent, where it is UTF-8 text. */
export type Content = Buffer | ByteText | string

/** Tells whether a body is content already; an object becomes JSON. */
export function isContent(body: Sent['body']): body is Content {
  return body instanceof ByteText || typeof body === 'string' || Buffer.isBuffer(body)
}

export function toBytes(content: Content): Buffer {
  if (content instanceof ByteText) return content.toBuffer()
  return typeof content === 'string' ? Buffer.from(content) : content
}

/** The result of a handler. Bytes are sent as they are, an object as JSON. */
export interface Sent {
  status: number
  body: Content | object
  /** Media type; JSON by default. */
  type?: string
  etag?: string | undefined
  modifiedAt?: Instant | undefined
  headers?: Readonly<Record<string, string>> | undefined
  /** Time of the answer in which nothing was done but wait for a change, in milliseconds. */
  waitedMs?: number
  /** Compressed forms of the body, for an answer that is sent repeatedly. */
  compressed?: Map<Encoding, Buffer>
  /** Releases the bytes of the body once the connection has sent them; absent for cached bytes. */
  release?: () => void
}

/** An answer that is streamed: `open` gets the connection. */
export interface Streamed {
  headers: Readonly<Record<string, string>>
  /** ETag of the body; a caller that has it gets 304 instead. */
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

/** A success without content. */
export const noContent: Sent = { status: 204, body: '' }

/** Headers of an answer that must not be cached. */
export const noStore = { 'cache-control': 'no-store' }

/**
 * Builds a refusal as an ordinary answer, such as an unknown domain: it is frequent, so it is not thrown, and
 * no stack is taken for it.
 */
export function replyRefused(error: PublicErrorName, text: string, fields: object): Sent {
  const { status, body, retryAfterSeconds } = buildRefusal(error, text, { ...fields })
  const retry = retryAfterSeconds !== undefined && { 'retry-after': String(retryAfterSeconds) }
  return { status, body, headers: { ...noStore, ...retry } }
}
