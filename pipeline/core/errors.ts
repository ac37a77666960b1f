import { countThings } from './counts.ts'
import { findField, toSentence } from './error-sentence.ts'

export interface PublicErrorEntry {
  status:
    | 400
    | 401
    | 403
    | 404
    | 405
    | 408
    | 409
    | 410
    | 413
    | 415
    | 416
    | 417
    | 422
    | 429
    | 431
    | 500
    | 502
    | 503
    | 504
  means: string
  /** Seconds after which to try again, where nothing is known that says it better. */
  retryAfterS?: number
}

/**
 * Errors of requests, by the `code` in the body. Clients receive only the sentence of the refusal and the
 * fields named here, never a cause.
 */
export const publicErrors = {
  invalid_request: { status: 400, means: 'a parameter or the body is missing or invalid' },
  invalid_type: { status: 400, means: 'the agent type is unknown' },
  invalid_role: { status: 400, means: 'there is no badge for this role' },
  unverified_hostname: {
    status: 400,
    means: 'the agent’s host is not on a domain that the organization has verified',
  },
  url_immutable: { status: 400, means: 'the URL of an agent cannot be changed' },
  invalid_blob_shape: { status: 400, means: 'client credentials must be a JSON object' },
  missing_field: { status: 400, means: 'a field of client credentials is missing' },
  invalid_field_type: { status: 400, means: 'a field of client credentials has the wrong type' },
  field_too_long: { status: 400, means: 'a field of client credentials is too long' },
  field_too_short: { status: 400, means: 'a secret of client credentials is too short' },
  invalid_url: {
    status: 400,
    means: 'the token endpoint is not an https URL on the public internet',
  },
  invalid_env_reference: {
    status: 400,
    means: 'client credentials refer to an environment variable instead of containing the value',
  },
  invalid_auth_method_value: { status: 400, means: 'the authentication method is unknown' },
  array_too_many: { status: 400, means: 'client credentials name too many resources' },
  array_too_few: { status: 400, means: 'client credentials name an empty list of resources' },
  aggregate_too_long: {
    status: 400,
    means: 'the resources of client credentials are too long in total',
  },
  unauthenticated: { status: 401, means: 'the credential is missing or invalid' },
  forbidden: { status: 403, means: 'the caller is not allowed to do this' },
  cross_tenant_api_key: { status: 403, means: 'the key belongs to another organization' },
  ownership_proof_required: {
    status: 403,
    means: 'the organization has not verified this domain, or its verification has expired',
  },
  not_found: {
    status: 404,
    means: 'what the request names does not exist, or the caller may not see it',
  },
  method_not_allowed: { status: 405, means: 'this path does not support the method' },
  request_timeout: { status: 408, means: 'the request was not received in time' },
  conflict: {
    status: 409,
    means:
      'the request conflicts with the current state, or its `Idempotency-Key` cannot be used again',
  },
  unpublish_first: { status: 409, means: 'the agent is public: change its visibility first' },
  ownership_verification_failed: {
    status: 409,
    means: 'the domain does not publish the challenge token; the challenge cannot be used again',
  },
  cursor_expired: {
    status: 410,
    means:
      'the cursor is older than the oldest event in the feed, or was never issued; in this response, `error` is the code, and `message` says what went wrong',
  },
  challenge_expired: { status: 410, means: 'the challenge has expired' },
  too_large: { status: 413, means: 'the body is too large' },
  unsupported_media_type: { status: 415, means: 'the content type is not supported' },
  range_not_satisfiable: {
    status: 416,
    means: 'the file ends before the requested range',
  },
  expectation_failed: {
    status: 417,
    means: 'the expectation in the Expect header is not supported',
  },
  agent_needs_credential: {
    status: 422,
    means: 'the tested agent requires a credential that the registry does not have',
  },
  unresolved_claims: {
    status: 422,
    means: 'the tested agent’s claims are unknown or contradictory; `error_kind` says which',
  },
  receiver_unconfirmed: {
    status: 422,
    means: 'the webhook receiver did not return the challenge that was posted to it',
  },
  rate_limited: { status: 429, means: 'too many requests' },
  headers_too_large: { status: 431, means: 'the headers are too large' },
  internal_error: { status: 500, means: 'something went wrong in the registry' },
  bad_gateway: { status: 502, means: 'the agent returned no usable response', retryAfterS: 60 },
  unavailable: {
    status: 503,
    means: 'a required part of the registry is unavailable; try again',
    retryAfterS: 5,
  },
  crawl_queue_unavailable: {
    status: 503,
    means: 'crawl requests cannot be accepted at the moment; try again',
    retryAfterS: 5,
  },
  gateway_timeout: { status: 504, means: 'the agent did not respond in time', retryAfterS: 60 },
} as const satisfies Record<string, PublicErrorEntry>

export type PublicErrorName = keyof typeof publicErrors
export const publicErrorNames = Object.keys(publicErrors) as [PublicErrorName, ...PublicErrorName[]]

/**
 * Builds the body of an error: a sentence for people and a code for programs. Feed readers recognize an
 * expired cursor by `error` itself.
 */
export function toErrorBody(error: PublicErrorName, text: string): Record<string, string> {
  return error === 'cursor_expired'
    ? { error, code: error, message: toSentence(text) }
    : { error: toSentence(text), code: error }
}

interface Refusal {
  status: PublicErrorEntry['status']
  /** Text for people: beyond a limit it also says when to come back. */
  sentence: string
  body: Record<string, unknown>
  retryAfterSeconds: number | undefined
}

/** Builds the answer of an error: its body is the sentence, the code and these fields. */
export function buildRefusal(
  error: PublicErrorName,
  text: string,
  fields: Readonly<Record<string, unknown>>,
): Refusal {
  const { status, retryAfterS }: PublicErrorEntry = publicErrors[error]
  const retry = retryAfterS === undefined ? undefined : { retry_after: retryAfterS }
  const { retry_after }: { retry_after?: unknown } = { ...retry, ...fields }
  const retryAfterSeconds = typeof retry_after === 'number' ? retry_after : undefined
  const isLimit = status === 429 && retryAfterSeconds !== undefined
  const said = toSentence(text)
  const sentence = isLimit ? `${said} Try again in ${formatWait(retryAfterSeconds)}.` : said
  const body = { ...toErrorBody(error, sentence), ...retry, ...fields }
  return { status, sentence, body, retryAfterSeconds }
}

const [MINUTE_S, HOUR_S] = [60, 3_600]

/** Formats a wait in words; it is never shorter than told. */
function formatWait(seconds: number): string {
  if (seconds < 2 * MINUTE_S) return countThings(seconds, 'second')
  if (seconds < 2 * HOUR_S) return `${Math.ceil(seconds / MINUTE_S)} minutes`
  return `${Math.ceil(seconds / HOUR_S)} hours`
}

export class PublicError extends Error {
  readonly error: PublicErrorName
  readonly fields: Readonly<Record<string, unknown>>
  /** Parameter or member of the body that is wrong, if it is a single one. */
  readonly field: string | undefined
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
  readonly retryAfterSeconds: number | undefined
  readonly headers: Readonly<Record<string, string>>

  constructor(
    error: PublicErrorName,
    text: string,
    fields: Record<string, unknown> = {},
    headers: Readonly<Record<string, string>> = {},
  ) {
    const { status, sentence, body, retryAfterSeconds } = buildRefusal(error, text, fields)
    super(sentence)
    this.error = error
    this.fields = fields
    this.field = findField(text)
    this.status = status
    this.body = body
    this.retryAfterSeconds = retryAfterSeconds
    this.headers = headers
  }
}

export function refuse(
  error: PublicErrorName,
  text: string,
  fields?: Record<string, unknown>,
  headers?: Readonly<Record<string, string>>,
): never {
  throw new PublicError(error, text, fields, headers)
}

/** Seconds after which something that an operator has to set up may be there. */
const SET_UP_S = 3_600

/** Refuses what the settings of this registry leave out: trying again soon is of no use. */
export function refuseNotSetUp(text: string): never {
  return refuse('unavailable', text, { retry_after: SET_UP_S })
}

/** An error after which the single writer must stop: its state and the files on disk differ. A restart recovers. */
export class Fatal extends Error {}
