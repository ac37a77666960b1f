import type { Outcome } from '../../core/outcomes.ts'
import type { Answered, FetchFailed } from '../../fetch/http.ts'
import type { JsonObject } from '../part.ts'
import { retryAfterOf, taskErrorOf, wantsCredential } from './task-error.ts'

const ofPlace = { isOfPlace: true }

/** Why there is no answer. */
export interface Trouble {
  outcome: Outcome
  /** May be shown: never an address, nor a peer's words. */
  detail: string
  status?: number
  retry_after_s?: number
  /** Only this address said so: the agent may listen at another one. */
  isOfPlace?: boolean
}

/** How a place says that no agent listens there. Whatever else is said, one may. */
const nobody: ReadonlySet<Outcome> = new Set(['absent', 'http_error', 'bad_redirect', 'not_json'])

export function saysNobody({ outcome, isOfPlace = false }: Trouble): boolean {
  return isOfPlace && nobody.has(outcome)
}

export function troubleOfFetch(failed: FetchFailed): Trouble {
  const { outcome, detail, status, retryAfterSeconds } = failed
  return {
    ...{ outcome, detail },
    ...(status !== undefined && { status, ...ofPlace }),
    ...(retryAfterSeconds !== undefined && { retry_after_s: retryAfterSeconds }),
  }
}

/** What a status other than 200 means where an agent is expected. */
export function troubleOfStatus({ status, retryAfterSeconds }: Answered): Trouble {
  const known: Trouble = { outcome: 'http_error', detail: `answered ${status}`, status }
  if (retryAfterSeconds !== undefined) known.retry_after_s = retryAfterSeconds
  if (status === 401) return { ...known, outcome: 'needs_auth', detail: 'wants a credential' }
  if (status === 429) return { ...known, outcome: 'throttled' }
  if (status === 403 || status === 451) return { ...known, outcome: 'denied' }
  if (status === 404 || status === 410) return { ...known, outcome: 'absent', ...ofPlace }
  if (status === 503) return { ...known, outcome: 'server_error' }
  const hasFailed = status === 408 || (status >= 500 && status !== 501)
  if (hasFailed) return { ...known, outcome: 'server_error', ...ofPlace }
  if (status >= 300 && status < 400) return { ...known, outcome: 'bad_redirect', ...ofPlace }
  return { ...known, ...ofPlace }
}

/** What an answer 200 means that holds no message. */
export function troubleOfBody({ status, contentType }: Answered, isObject: boolean): Trouble {
  if (isObject) {
    return { outcome: 'unusable', detail: 'answers JSON that is no reply', status, ...ofPlace }
  }
  const detail = contentType.includes('html')
    ? 'answers with a web page: name the address of the agent itself'
    : 'answers with something that is not JSON'
  return { outcome: 'not_json', detail, status, ...ofPlace }
}

const RATE_LIMITED = -32_029
const AUTH_REQUIRED = -32_028
const UNAVAILABLE = -32_027

/** What a JSON-RPC error means. The numbers count only beside the error of the protocol. */
export function troubleOfError(response: JsonObject, errorKey: string): Trouble {
  const { code } = response.error as JsonObject
  const error = taskErrorOf(response, 'mcp', errorKey)
  const detail = `refuses the call (${Number.isInteger(code) ? code : 'no code'})`
  const seconds = retryAfterOf(error)
  const more = { detail, ...(seconds !== undefined && { retry_after_s: seconds }) }
  if (error !== undefined) {
    if (code === AUTH_REQUIRED || wantsCredential(error)) return { outcome: 'needs_auth', ...more }
    if (code === RATE_LIMITED) return { outcome: 'throttled', ...more }
    if (code === UNAVAILABLE) return { outcome: 'server_error', ...more }
  }
  return { outcome: 'unusable', ...more }
}
