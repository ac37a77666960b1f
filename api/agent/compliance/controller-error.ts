import { TaskError } from '../errors.ts'

export type ControllerCode =
  | 'UNKNOWN_SCENARIO'
  | 'INVALID_PARAMS'
  | 'NOT_FOUND'
  | 'INVALID_TRANSITION'
  | 'FORBIDDEN'

/** A failure of the test controller: its body has the shape that test runners expect. */
export class ControllerError extends TaskError {
  readonly #code: ControllerCode
  readonly #currentState: string | undefined

  constructor(code: ControllerCode, message: string, currentState?: string) {
    super('INVALID_REQUEST', message)
    this.#code = code
    this.#currentState = currentState
  }

  override toPayload(): Record<string, unknown> {
    return {
      success: false,
      error: this.#code,
      error_detail: this.message,
      ...(this.#currentState !== undefined && { current_state: this.#currentState }),
    }
  }
}

/** Throws unless the transition between two statuses is allowed. */
export function assertTransition<Status extends string>(
  allowed: Readonly<Partial<Record<Status, readonly Status[]>>>,
  from: Status,
  to: Status,
): void {
  if (allowed[from]?.includes(to)) return
  throw new ControllerError('INVALID_TRANSITION', `${from} cannot change to ${to}`, from)
}
