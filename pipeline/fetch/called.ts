import type { PieceReader } from './body.ts'
import type { FetchFailed } from './fetched.ts'
import type { Allowance } from './ssrf-guard.ts'

/** A JSON request to a service, by POST. */
export interface PostOptions {
  /** JSON text, or its bytes in parts, with `content-length` among the headers. */
  body: string | readonly Uint8Array[]
  /** Additional headers; names in lower case. */
  headers?: Record<string, string>
  accept: string
  /** Bytes of the decoded answer. */
  maxBytes: number
  /** Deadline of the whole call, without the time spent waiting for our own rate limits. */
  deadlineMs: number
  allow?: Allowance
  /** Ends the call as a timeout when it is aborted. */
  signal?: AbortSignal
  /**
   * Returns a reader for a 200 of this content type, to read the body while it arrives. A stream
   * that its server never closes can so be left as soon as enough was read.
   */
  onPiece?: (contentType: string) => PieceReader | undefined
}

/** Response of any status; redirects are not followed. */
export interface Answered {
  kind: 'answered'
  status: number
  url: string
  /** Lower case, without parameters; empty when the server sent none. */
  contentType: string
  headers: Record<string, string | string[] | undefined>
  /** Complete for a 200 that was not streamed, at most 4 KiB for any other status. */
  body: Buffer
  retryAfterSeconds?: number
}

/** Result of a call; `tookMs` is the part of its deadline that it used. */
export type PostResult = (Answered | FetchFailed) & { tookMs: number }
