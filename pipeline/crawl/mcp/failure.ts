import type { Outcome } from '../../core/outcomes.ts'
import type { Answered, FetchFailed } from '../../fetch/http.ts'
import type { JsonObject } from '../../parse/object-reader.ts'
import { needsCredential, readRetryAfter, readTaskError } from './task-error.ts'

/** Reason why there is no answer. */
export interface McpFailure {
  outcome: Outcome
  /** Safe to show: never an address, nor the peer's own words. */
  detail: string
  status?: number
  retry_after_s?: number
}

/** Outcomes that mean that MCP is not spoken at an address. After any other outcome it may be. */
const notSpokenOutcomes: ReadonlySet<Outcome> = new Set([
  'absent',
  'http_error',
  'bad_redirect',
  'not_json',
])

export function isNotSpoken({ outcome }: McpFailure): boolean {
  return notSpokenOutcomes.has(outcome)
}

/** Outcomes of a host without an answer that no other address on it would change; one is that it is paused. */
const hostOutcomes: ReadonlySet<Outcome> = new Set([
  'throttled',
  'timeout',
  'tls_failed',
  'dns_failed',
  'refused',
  'deferred',
])

/** Tells whether the host did not answer at all, so that there is no use in trying its other addresses. */
export function isOfHost({ outcome, status }: Pick<McpFailure, 'outcome' | 'status'>): boolean {
  return status === undefined && hostOutcomes.has(outcome)
}

export function toFetchFailure(failed: FetchFailed): McpFailure {
  const { outcome, detail, status, retryAfterSeconds } = failed
  return {
    outcome,
    detail,
    ...(status !== undefined && { status }),
    ...(retryAfterSeconds !== undefined && { retry_after_s: retryAfterSeconds }),
  }
}

/** Converts a status other than 200 to a failure. */
export function toStatusFailure({ status, retryAfterSeconds }: Answered): McpFailure {
  const known: McpFailure = { outcome: 'http_error', detail: `answered ${status}`, status }
  if (retryAfterSeconds !== undefined) known.retry_after_s = retryAfterSeconds
  if (status === 401) return { ...known, outcome: 'needs_auth', detail: 'requires a credential' }
  if (status === 429) return { ...known, outcome: 'throttled' }
  if (status === 403 || status === 451) return { ...known, outcome: 'denied' }
  if (status === 404 || status === 410) return { ...known, outcome: 'absent' }
  const hasFailed = status === 408 || (status >= 500 && status !== 501)
  if (hasFailed) return { ...known, outcome: 'server_error' }
  if (status >= 300 && status < 400) return { ...known, outcome: 'bad_redirect' }
  return known
}

/** Converts a 200 without a message to a failure. */
export function toBodyFailure({ status, contentType }: Answered, isObject: boolean): McpFailure {
  if (isObject) {
    return {
      outcome: 'unusable',
      detail: 'answers with JSON that is not a JSON-RPC response',
      status,
    }
  }
  const detail = contentType.includes('html')
    ? 'answers with a web page: use the address of the agent itself'
    : 'answers with something that is not JSON'
  return { outcome: 'not_json', detail, status }
}

const RATE_LIMITED = -32_029
const AUTH_REQUIRED = -32_028
const UNAVAILABLE = -32_027

/** Converts a JSON-RPC error to a failure. Its number counts only together with the protocol's own error. */
export function toRpcFailure(response: JsonObject, errorKey: string): McpFailure {
  const { code } = response.error as JsonObject
  const error = readTaskError(response, 'mcp', errorKey)
  const detail = `refuses the call (${Number.isInteger(code) ? code : 'no code'})`
  const seconds = readRetryAfter(error)
  const more = { detail, ...(seconds !== undefined && { retry_after_s: seconds }) }
  if (error !== undefined) {
    if (code === AUTH_REQUIRED || needsCredential(error)) return { outcome: 'needs_auth', ...more }
    if (code === RATE_LIMITED) return { outcome: 'throttled', ...more }
    if (code === UNAVAILABLE) return { outcome: 'server_error', ...more }
  }
  return { outcome: 'unusable', ...more }
}
