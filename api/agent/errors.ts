import { buildNamedFields } from './protocol-names.ts'

/** Ways to recover from a failure: by a retry, by a changed request, or not at all. */
type Recovery = 'transient' | 'correctable' | 'terminal'

/** All error codes of tasks, with the way to recover and the equivalent HTTP status. */
const codes = {
  INVALID_REQUEST: ['correctable', 400],
  INVALID_FORMAT_ID: ['correctable', 400],
  UNAUTHORIZED: ['correctable', 401],
  REFERENCE_NOT_FOUND: ['correctable', 404],
  ACCOUNT_NOT_FOUND: ['terminal', 404],
  PRODUCT_NOT_FOUND: ['correctable', 404],
  MEDIA_BUY_NOT_FOUND: ['correctable', 404],
  PACKAGE_NOT_FOUND: ['correctable', 404],
  CREATIVE_NOT_FOUND: ['correctable', 404],
  BRAND_NOT_FOUND: ['correctable', 404],
  SIGNAL_NOT_FOUND: ['correctable', 404],
  PLAN_NOT_FOUND: ['correctable', 404],
  CREATIVE_REJECTED: ['correctable', 422],
  BUDGET_TOO_LOW: ['correctable', 422],
  TERMS_REJECTED: ['correctable', 422],
  PROPOSAL_EXPIRED: ['correctable', 422],
  ACCOUNT_SUSPENDED: ['terminal', 403],
  ACCOUNT_PAYMENT_REQUIRED: ['terminal', 402],
  UNSUPPORTED_FEATURE: ['correctable', 422],
  GOVERNANCE_DENIED: ['correctable', 403],
  INVALID_STATE: ['correctable', 409],
  NOT_CANCELLABLE: ['correctable', 409],
  CONFLICT: ['transient', 409],
  IDEMPOTENCY_CONFLICT: ['correctable', 409],
  IDEMPOTENCY_EXPIRED: ['correctable', 409],
  IDEMPOTENCY_IN_FLIGHT: ['transient', 409],
  VERSION_UNSUPPORTED: ['correctable', 400],
  RATE_LIMITED: ['transient', 429],
  SERVICE_UNAVAILABLE: ['transient', 503],
} as const satisfies Record<string, readonly [Recovery, number]>

export type TaskErrorCode = keyof typeof codes

/** One fault of a document, by its JSON pointer. */
export interface Issue {
  pointer: string
  message: string
  keyword: string
}

interface Details {
  /** Path of the field that is wrong, such as `packages[0].budget`. */
  field?: string
  /** Seconds to wait. */
  retry_after?: number
  /** Every fault, if there are several. */
  issues?: Issue[]
  /** More facts that the protocol defines for the code. */
  details?: Readonly<Record<string, unknown>>
}

/** A task that cannot be carried out. The message is for the caller. */
export class TaskError extends Error {
  readonly code: TaskErrorCode
  readonly details: Details

  constructor(code: TaskErrorCode, message: string, details: Details = {}) {
    super(message)
    this.code = code
    this.details = details
  }

  /** Builds the body of this failure. */
  toPayload(protocolName: string): Record<string, unknown> {
    return buildErrorPayload(this, protocolName)
  }
}

/** Builds the body for one failed entry among others. */
export function buildErrorBody({ code, message, details }: TaskError): Record<string, unknown> {
  return { code, message, ...details }
}

/**
 * Builds the body of a failure. The specification puts `code` and `message` at the top, and for creatives
 * into `error` with their status; the public client reads them from `<protocol>_error`.
 */
export function buildErrorPayload(error: TaskError, protocolName: string): Record<string, unknown> {
  const { code, message } = error
  const [, status] = codes[code]
  return {
    code,
    message,
    error: { code, message, status },
    ...buildNamedErrors(error, protocolName),
  }
}

/** Builds the protocol's own error. A conflict of idempotency keys carries no details: guessing reveals nothing. */
export function buildNamedErrors(
  { code, message, details }: TaskError,
  protocolName: string,
): Record<string, unknown> {
  const [recovery] = codes[code]
  const described =
    code === 'IDEMPOTENCY_CONFLICT' ? { code, message } : { code, message, recovery, ...details }
  return buildNamedFields(protocolName, name => ({ [`${name}_error`]: described }))
}
