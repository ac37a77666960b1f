import type { Clock } from '../core/clock.ts'
import { parseUrl } from './address.ts'
import type { Answered, Call, Called } from './called.ts'
import { failedFetch } from './conclude.ts'
import { type Answer, type Headers, textOf } from './exchange.ts'
import type { Failure } from './failures.ts'
import type { FetchFailed } from './fetched.ts'
import { refusalOf } from './guard.ts'
import { retryAfterSeconds } from './retry-after.ts'
import type { Question, Way } from './way.ts'

/** What every way of asking needs. */
export interface Context {
  way: Way
  clock: Clock
  userAgent: string
}

const HEADER_VALUE = /^[\x20-\x7e]*$/
const noAddress: Failure = { outcome: 'refused', detail: 'this is not an address' }
const badHeader: Failure = { outcome: 'refused', detail: 'a header cannot be sent' }

/** One POST through the same guard, turn and connections as every fetch. */
export async function callOver(context: Context, text: string, call: Call): Promise<Called> {
  const budget = { leftMs: call.deadlineMs }
  const result = await callOnce(context, text, call, budget)
  return Object.assign(result, { tookMs: Math.max(0, Math.round(call.deadlineMs - budget.leftMs)) })
}

async function callOnce(
  { way, clock, userAgent }: Context,
  text: string,
  call: Call,
  budget: { leftMs: number },
): Promise<Answered | FetchFailed> {
  const url = parseUrl(text)
  if (url === undefined) return failedFetch(text, noAddress)
  const refusal = refusalOf(url, call.allow)
  if (refusal) return failedFetch(text, { outcome: 'refused', detail: refusal })
  const question = questionOf(call, userAgent)
  if (!Object.values(question.headers).every(value => HEADER_VALUE.test(value))) {
    return failedFetch(text, badHeader)
  }
  const answer = await way.visit(url, question, budget)
  if (answer.kind === 'broken') return failedFetch(url.href, answer, answer.status)
  return answeredOf(url.href, answer, clock.now())
}

function questionOf({ body, headers, accept, maxBytes, watch }: Call, userAgent: string): Question {
  return {
    method: 'POST',
    body,
    headers: {
      accept,
      'accept-encoding': 'gzip, deflate, br',
      'content-type': 'application/json',
      'user-agent': userAgent,
      ...headers,
    },
    reading: {
      maxBytes,
      wantsHeads: true,
      ...(watch && { watch: answered => watch(contentTypeOf(answered)) }),
    },
  }
}

function answeredOf(url: string, { status, headers, body }: Answer, now: number): Answered {
  const seconds = retryAfterSeconds(textOf(headers['retry-after']), now)
  const contentType = contentTypeOf(headers)
  return {
    ...{ kind: 'answered', status, url, contentType, headers, body },
    ...(seconds !== undefined && { retryAfterSeconds: seconds }),
  }
}

function contentTypeOf(headers: Headers): string {
  return (textOf(headers['content-type']) ?? '').split(';')[0]!.trim().toLowerCase()
}
