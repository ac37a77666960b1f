import type { Outcome } from '../core/outcomes.ts'
import type { RedirectRules } from './redirects.ts'

export interface FetchOptions extends RedirectRules {
  /** Bytes of the decoded body. */
  maxBytes: number
  /**
   * Deadline of the whole fetch with its redirects, without the time spent waiting for our own rate
   * limits.
   */
  deadlineMs: number
  etag?: string | undefined
  lastModified?: string | undefined
  /** Skips what robots.txt disallows, if the fetcher respects it. */
  obeysRobots?: boolean
  /** `application/json` by default. */
  accept?: string | undefined
  /** Credential. Only sent by a fetch that follows no redirects, so that it reaches one host. */
  authorization?: string | undefined
}

export interface Validators {
  etag?: string
  lastModified?: string
}

/** `url` is the address that answered in the end. */
export interface FetchedOk extends Validators {
  kind: 'ok'
  status: 200
  url: string
  /** Decoded. */
  body: Buffer
  contentType?: string
}

export interface FetchedUnchanged extends Validators {
  kind: 'unchanged'
  status: 304
  url: string
}

export interface FetchFailed {
  kind: 'failed'
  outcome: Outcome
  url: string
  status?: number
  retryAfterSeconds?: number
  /** First 4 KiB of a 403, which some object stores answer for a missing file. */
  body?: Buffer
  /** Safe to show: never an address. */
  detail: string
}

export type FetchResult = FetchedOk | FetchedUnchanged | FetchFailed
