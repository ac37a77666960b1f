import type { Instant } from '../core/clock.ts'
import { type CompleteExchange, type Headers, readHeader } from './exchange.ts'
import { classifyStatus, type Failure } from './failures.ts'
import type { FetchFailed, FetchOptions, FetchResult, Validators } from './fetch-result.ts'
import { parseRetryAfter } from './retry-after.ts'

/**
 * Interprets a response that is not a redirect. A 304 counts only if validators were sent; the head of a 403
 * is kept, since some object stores answer it for a missing file.
 */
export function interpretResponse(
  url: string,
  answer: CompleteExchange,
  options: FetchOptions,
  now: Instant,
): FetchResult {
  const { status, headers, body } = answer
  if (status === 200 || (status === 206 && options.range !== undefined)) {
    const ok: FetchResult = { kind: 'ok', status, url, body, ...readValidators(headers) }
    const contentType = readHeader(headers['content-type'])
    if (contentType !== undefined) ok.contentType = contentType
    return ok
  }
  if (status === 304 && (options.etag !== undefined || options.lastModified !== undefined))
    return { kind: 'unchanged', status, url, ...readValidators(headers) }
  const outcome = status === 304 ? 'http_error' : classifyStatus(status)
  const failed = createFailedFetch(url, { outcome, detail: `answered ${status}` }, status)
  const seconds = parseRetryAfter(readHeader(headers['retry-after']), now)
  if (seconds !== undefined) failed.retryAfterSeconds = seconds
  if (status === 403) failed.body = body
  return failed
}

/** Creates the result of a fetch that failed; absent facts are left out. */
export function createFailedFetch(
  url: string,
  { outcome, detail, retryAfterSeconds, file }: Failure,
  status?: number | undefined,
): FetchFailed {
  const failed: FetchFailed = { kind: 'failed', outcome, url, detail }
  if (status !== undefined) failed.status = status
  if (retryAfterSeconds !== undefined) failed.retryAfterSeconds = retryAfterSeconds
  if (file !== undefined) failed.file = file
  return failed
}

function readValidators(headers: Headers): Validators {
  const validators: Validators = {}
  const etag = readHeader(headers.etag)
  if (etag !== undefined) validators.etag = etag
  const lastModified = readHeader(headers['last-modified'])
  if (lastModified !== undefined) validators.lastModified = lastModified
  return validators
}
