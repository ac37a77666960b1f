import type { Clock } from '../core/clock.ts'
import { getFirst } from '../core/present.ts'
import { parseRequestUrl } from '../core/url.ts'
import { type CompleteExchange, type Headers, readHeader } from './exchange.ts'
import { type Failure, timedOut } from './failures.ts'
import { type FetchMeter, refuseRequest } from './fetch-meter.ts'
import type { FetchFailed } from './fetch-result.ts'
import { createFailedFetch } from './interpret-response.ts'
import type { Answered, PostOptions, PostResult } from './post-result.ts'
import type { Cause } from './request-budget.ts'
import { parseRetryAfter } from './retry-after.ts'
import { checkUrl } from './ssrf-guard.ts'
import type { Transport, TransportRequest } from './transport.ts'

/** Dependencies of every kind of request. */
export interface Context {
  transport: Transport
  clock: Clock
  userAgent: string
  /** Cause of the request; decides which rate-limit bucket it is counted in. */
  cause: Cause
  meter: FetchMeter
}

const HEADER_VALUE = /^[\x20-\x7e]*$/
export const NO_ADDRESS = 'the address is invalid'
const badHeader: Failure = { outcome: 'refused', detail: 'a header is invalid' }

/** Sends one POST, or a GET without a body, through the same guard, budget and connections as every fetch. */
export async function sendPost(
  context: Context,
  text: string,
  call: PostOptions,
): Promise<PostResult> {
  const budget = { remainingMs: call.deadlineMs }
  const result = await sendOnce(context, text, call, budget)
  return Object.assign(result, {
    tookMs: Math.max(0, Math.round(call.deadlineMs - budget.remainingMs)),
  })
}

async function sendOnce(
  { transport, clock, userAgent, cause, meter }: Context,
  text: string,
  call: PostOptions,
  budget: { remainingMs: number },
): Promise<Answered | FetchFailed> {
  const url = parseRequestUrl(text)
  if (url === undefined) return createFailedFetch(text, refuseRequest(meter, NO_ADDRESS))
  const refusal = checkUrl(url, call.allow)
  if (refusal) return createFailedFetch(text, refuseRequest(meter, refusal))
  if (call.signal?.aborted) return createFailedFetch(text, timedOut)
  const request = { ...toTransportRequest(call, userAgent), cause }
  if (!Object.values(request.headers).every(value => HEADER_VALUE.test(value))) {
    return createFailedFetch(text, badHeader)
  }
  const answer = await transport.request(url, request, budget)
  if (answer.kind === 'broken') return createFailedFetch(url.href, answer, answer.status)
  return toAnswered(url.href, answer, clock.now())
}

function toTransportRequest(
  { body, headers, accept, maxBytes, onPiece, allow, signal }: PostOptions,
  userAgent: string,
): Omit<TransportRequest, 'cause'> {
  const isPost = body !== undefined
  return {
    ...(isPost ? { method: 'POST', body } : { method: 'GET', isStream: true }),
    privateHost: allow?.privateHost,
    signal,
    headers: {
      accept,
      'accept-encoding': 'gzip, deflate, br',
      ...(isPost && { 'content-type': 'application/json' }),
      'user-agent': userAgent,
      ...headers,
    },
    reading: {
      maxBytes,
      wantsErrorBody: true,
      ...(onPiece && { onPiece: answered => onPiece(readContentType(answered)) }),
    },
  }
}

function toAnswered(
  url: string,
  { status, headers, body }: CompleteExchange,
  now: number,
): Answered {
  const seconds = parseRetryAfter(readHeader(headers['retry-after']), now)
  const contentType = readContentType(headers)
  return {
    kind: 'answered',
    status,
    url,
    contentType,
    headers,
    body,
    ...(seconds !== undefined && { retryAfterSeconds: seconds }),
  }
}

function readContentType(headers: Headers): string {
  return getFirst((readHeader(headers['content-type']) ?? '').split(';'))
    .trim()
    .toLowerCase()
}
