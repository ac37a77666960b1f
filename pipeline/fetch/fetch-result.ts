import type { Outcome } from '../core/outcomes.ts'
import type { RedirectRules } from './redirects.ts'

/** A GET of a file. */
export interface FetchOptions extends RedirectRules {
  /** Largest body after decompression, in bytes. */
  maxBytes: number
  /**
   * Deadline of the whole fetch with its redirects, without the time spent waiting for our own rate
   * limits.
   */
  deadlineMs: number
  /** Validators of the stored body: the server may answer `304 Not Modified`. */
  etag?: string | undefined
  lastModified?: string | undefined
  /** True to skip what robots.txt disallows, if the setting ROBOTS is `respect`. */
  obeysRobots?: boolean
  /** Header `Accept`; `application/json` by default. */
  accept?: string | undefined
  /** Part of the file to ask for, in bytes from 0, the last one included; the answer may be the whole file. */
  range?: { first: number; last: number } | undefined
  /** Header `Authorization`. Only sent if no redirects are followed, so that it reaches one host alone. */
  authorization?: string | undefined
}

/** Values for a later conditional request (RFC 9110). */
export interface Validators {
  etag?: string
  lastModified?: string
}

/** A response with status 200, or 206 where a part was asked for. */
export interface FetchedOk extends Validators {
  kind: 'ok'
  status: 200 | 206
  /** Final address, after all redirects. */
  url: string
  /** Whole body, decompressed. */
  body: Buffer
  contentType?: string
}

/** The server confirmed that the body is still that of the validators. */
export interface FetchedUnchanged extends Validators {
  kind: 'unchanged'
  status: 304
  url: string
}

/** No usable response; `url` is the address at which the fetch ended. */
export interface FetchFailed {
  kind: 'failed'
  outcome: Outcome
  url: string
  status?: number
  retryAfterSeconds?: number
  /** Set if robots.txt failed, so that the file was not requested. */
  file?: 'robots.txt'
  /** First 4 KiB of a 403, which some object stores answer for a missing file. */
  body?: Buffer
  /** Sentence that may be shown to callers: it never contains an IP address. */
  detail: string
}

export type FetchResult = FetchedOk | FetchedUnchanged | FetchFailed
