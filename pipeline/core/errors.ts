interface PublicErrorEntry {
  status: 400 | 401 | 403 | 404 | 405 | 409 | 410 | 413 | 415 | 429 | 502 | 503 | 504
  means: string
  /** Sent as `error` instead of the text, which then goes into `message`. */
  code?: string
}

/**
 * What a caller can have done wrong. Only what stands here reaches a client: the text given at the
 * point of refusal and the fields it names, never a cause.
 */
export const publicErrors = {
  invalid_request: { status: 400, means: 'a parameter or the body is missing or wrong' },
  unauthenticated: { status: 401, means: 'the credential is missing or not valid' },
  forbidden: { status: 403, means: 'the caller is known and may not do this' },
  ownership_proof_required: {
    status: 403,
    means: 'the organization has not shown lately that the domain is its own',
    code: 'ownership_proof_required',
  },
  not_found: { status: 404, means: 'nothing is known under this name' },
  method_not_allowed: { status: 405, means: 'the path exists, not with this method' },
  conflict: { status: 409, means: 'what is asked contradicts what stands' },
  cursor_expired: {
    status: 410,
    means: 'the cursor is older than the feed keeps events, or was never issued',
    code: 'cursor_expired',
  },
  challenge_expired: {
    status: 410,
    means: 'the challenge was to be verified sooner',
    code: 'challenge_expired',
  },
  too_large: { status: 413, means: 'the body is too large' },
  unsupported_media_type: { status: 415, means: 'the body is of a type that is not taken' },
  rate_limited: { status: 429, means: 'more requests than the limit allows' },
  bad_gateway: { status: 502, means: 'the agent that was asked gave no usable answer' },
  gateway_timeout: { status: 504, means: 'the agent that was asked did not answer in time' },
  unavailable: { status: 503, means: 'a part that the answer needs is away; try again' },
} as const satisfies Record<string, PublicErrorEntry>

export type PublicErrorName = keyof typeof publicErrors

export class PublicError extends Error {
  readonly status: number
  readonly error: PublicErrorName
  readonly fields: Readonly<Record<string, unknown>>
  readonly retryAfterSeconds: number | undefined
  readonly headers: Readonly<Record<string, string>>

  constructor(
    error: PublicErrorName,
    text: string,
    fields: Record<string, unknown> = {},
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(text)
    this.headers = headers
    this.error = error
    this.status = publicErrors[error].status
    this.fields = fields
    this.retryAfterSeconds = typeof fields.retry_after === 'number' ? fields.retry_after : undefined
  }

  get body(): Record<string, unknown> {
    const entry: PublicErrorEntry = publicErrors[this.error]
    const said = entry.code ? { error: entry.code, message: this.message } : { error: this.message }
    return { ...said, ...this.fields }
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

/** The single writer must stop: what it knows and what is on disk differ. A restart recovers. */
export class Fatal extends Error {}
