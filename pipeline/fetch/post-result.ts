import type { PieceReader } from './body.ts'
import type { FetchFailed } from './fetch-result.ts'
import type { Allowance } from './ssrf-guard.ts'

/** A JSON request to a service, by POST. */
export interface PostOptions {
  /**
   * JSON text, or its bytes in parts, with `content-length` among the headers. Without a body the request is a
   * GET that opens a stream: once that is open it takes none of the host's slots, so that other requests go on
   * beside it.
   */
  body?: string | readonly Uint8Array[]
  /** Additional headers; names in lower case. */
  headers?: Record<string, string>
  accept: string
  /** Largest response after decompression, in bytes. */
  maxBytes: number
  /** Deadline of the whole call, without the time spent waiting for our own rate limits. */
  deadlineMs: number
  allow?: Allowance
  /** Ends the call as a timeout when it is aborted. */
  signal?: AbortSignal
  /**
   * Chooses a reader that gets the body of a 200 with this content type piece by piece; undefined to
   * collect it. The reader ends the call when it has enough, for event streams that are never closed.
   */
  onPiece?: (contentType: string) => PieceReader | undefined
}

/** Response of any status; redirects are not followed. */
export interface Answered {
  kind: 'answered'
  status: number
  /** Address that was called. */
  url: string
  /** Lower case, without parameters; empty when the server sent none. */
  contentType: string
  headers: Record<string, string | string[] | undefined>
  /** Decompressed; complete for a 200 that was not streamed, at most 4 KiB for any other status. */
  body: Buffer
  retryAfterSeconds?: number
}

/** Result of a call. `tookMs` is the part of its deadline that it used, in milliseconds. */
export type PostResult = (Answered | FetchFailed) & { tookMs: number }
