import type { Instant } from '../core/clock.ts'
import { type Answer, type Headers, textOf } from './exchange.ts'
import { type Failure, outcomeOfStatus } from './failures.ts'
import type { Ask, Fetched, FetchFailed, Validators } from './fetched.ts'
import { retryAfterSeconds } from './retry-after.ts'

/** What an answer that is no redirect amounts to. */
export function conclude(url: string, answer: Answer, ask: Ask, now: Instant): Fetched {
  const { status, headers, body } = answer
  if (status === 200) {
    const ok: Fetched = { kind: 'ok', status, url, body, ...validatorsOf(headers) }
    const contentType = textOf(headers['content-type'])
    if (contentType !== undefined) ok.contentType = contentType
    return ok
  }
  if (status === 304 && (ask.etag !== undefined || ask.lastModified !== undefined))
    return { kind: 'unchanged', status, url, ...validatorsOf(headers) }
  const outcome = status === 304 ? 'http_error' : outcomeOfStatus(status)
  const failed = failedFetch(url, { outcome, detail: `answered ${status}` }, status)
  const seconds = retryAfterSeconds(textOf(headers['retry-after']), now)
  if (seconds !== undefined) failed.retryAfterSeconds = seconds
  if (status === 403) failed.body = body
  return failed
}

export function failedFetch(
  url: string,
  { outcome, detail, retryAfterSeconds }: Failure,
  status?: number | undefined,
): FetchFailed {
  const failed: FetchFailed = { kind: 'failed', outcome, url, detail }
  if (status !== undefined) failed.status = status
  if (retryAfterSeconds !== undefined) failed.retryAfterSeconds = retryAfterSeconds
  return failed
}

function validatorsOf(headers: Headers): Validators {
  const validators: Validators = {}
  const etag = textOf(headers.etag)
  if (etag !== undefined) validators.etag = etag
  const lastModified = textOf(headers['last-modified'])
  if (lastModified !== undefined) validators.lastModified = lastModified
  return validators
}
