import type { Outcome } from '../core/outcomes.ts'
import type { RedirectRules } from './redirects.ts'

export interface Ask extends RedirectRules {
  /** Bytes of the decoded body. */
  maxBytes: number
  /** For the whole fetch, redirects included; waiting for our own politeness is not counted. */
  deadlineMs: number
  etag?: string | undefined
  lastModified?: string | undefined
  /** Leaves alone what robots.txt disallows, where the fetcher respects it. */
  obeysRobots?: boolean
  /** `application/json` unless said. */
  accept?: string | undefined
  /** A credential. Only a fetch that follows no redirect carries one, so that it meets one host. */
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
  /** The first 4 KiB of a 403, which some stores answer for a file that is not there. */
  body?: Buffer
  /** May be shown: never an address. */
  detail: string
}

export type Fetched = FetchedOk | FetchedUnchanged | FetchFailed
