/** A way on after a failure: try again, change the request, or none. */
type Recovery = 'transient' | 'correctable' | 'terminal'

/** Every code a task answers with, and what can be done about it. */
const recoveries = {
  INVALID_REQUEST: 'correctable',
  INVALID_FORMAT_ID: 'correctable',
  UNAUTHORIZED: 'correctable',
  REFERENCE_NOT_FOUND: 'correctable',
  VERSION_UNSUPPORTED: 'correctable',
  RATE_LIMITED: 'transient',
  SERVICE_UNAVAILABLE: 'transient',
} as const satisfies Record<string, Recovery>

export type TaskErrorCode = keyof typeof recoveries

interface Details {
  /** Path of the field that is wrong, such as `packages[0].budget`. */
  field?: string
  /** Seconds to wait. */
  retry_after?: number
}

/** A task that cannot be done as it was asked. The message is for the caller. */
export class TaskError extends Error {
  readonly code: TaskErrorCode
  readonly details: Details

  constructor(code: TaskErrorCode, message: string, details: Details = {}) {
    super(message)
    this.code = code
    this.details = details
  }
}

/**
 * The body of a failure. Readers of the specification find `code` and `message`, the public client
 * finds the same in an object of its own.
 */
export function buildErrorPayload(error: TaskError, protocolName: string): Record<string, unknown> {
  const { code, message, details } = error
  const described = { code, message, recovery: recoveries[code], ...details }
  return { code, message, [`${protocolName}_error`]: described }
}
