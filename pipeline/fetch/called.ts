import type { Watch } from './body.ts'
import type { FetchFailed } from './fetched.ts'
import type { Allowance } from './guard.ts'

/** A question to a service: JSON by POST. */
export interface Call {
  /** JSON text. */
  body: string
  /** Sent besides the usual ones; names in lower case. */
  headers?: Record<string, string>
  accept: string
  /** Bytes of the decoded answer. */
  maxBytes: number
  /** For the whole call; waiting for our own politeness is not counted. */
  deadlineMs: number
  allow?: Allowance
  /**
   * Who reads a 200 of this content type while it comes, if anybody: a stream that its server never
   * closes is left as soon as enough was read.
   */
  watch?: (contentType: string) => Watch | undefined
}

/** What was answered, whatever the status: a redirect too is only an answer. */
export interface Answered {
  kind: 'answered'
  status: number
  url: string
  /** In lower case, without parameters; empty when the server named none. */
  contentType: string
  headers: Record<string, string | string[] | undefined>
  /** Whole for a 200 nobody watched, at most 4 KiB for any other status. */
  body: Buffer
  retryAfterSeconds?: number
}

/** `tookMs`: what the call used of its deadline. */
export type Called = (Answered | FetchFailed) & { tookMs: number }
