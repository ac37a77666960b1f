import { isObject, type JsonObject } from '../../parse/object-reader.ts'
import { findFirstTextObject } from './result.ts'

/** Error of a task as the agent wrote it; only `code` has been checked. */
export type TaskError = JsonObject & { code: string }

export type ErrorAction = 'retry' | 'surface_to_caller' | 'escalate_to_human' | 'generic_error'

const CODE_CHARS = 64
const RETRY_AFTER_MAX_S = 3_600

/** Reads an error by either transport, from the places where each may report it. */
export function readTaskError(
  response: JsonObject,
  transport: 'mcp' | 'a2a',
  errorKey: string,
): TaskError | undefined {
  return transport === 'mcp' ? readMcpError(response, errorKey) : readA2aError(response, errorKey)
}

/** Reads the data of a JSON-RPC error, or the content of a result that is marked as an error. */
function readMcpError(response: JsonObject, errorKey: string): TaskError | undefined {
  if (isObject(response.error)) return readMember(response.error.data, errorKey)
  if (response.isError !== true) return undefined
  const structured = readMember(response.structuredContent, errorKey)
  if (structured !== undefined) return structured
  const text = findFirstTextObject(response)
  return (
    readMember(text, errorKey) ??
    (typeof text?.message === 'string' ? parseTaskError(text) : undefined)
  )
}

/** Reads the data parts of a failed task: of its artifacts, or of its status message. */
function readA2aError(response: JsonObject, errorKey: string): TaskError | undefined {
  const { status } = response
  if (!isObject(status) || status.state !== 'failed') return undefined
  const artifacts = Array.isArray(response.artifacts) ? response.artifacts : []
  for (const holder of [...artifacts, status.message]) {
    if (!isObject(holder) || !Array.isArray(holder.parts)) continue
    for (const part of holder.parts) {
      const error =
        isObject(part) && part.kind === 'data' ? readMember(part.data, errorKey) : undefined
      if (error !== undefined) return error
    }
  }
  return undefined
}

function readMember(holder: unknown, errorKey: string): TaskError | undefined {
  return isObject(holder) && Object.hasOwn(holder, errorKey)
    ? parseTaskError(holder[errorKey])
    : undefined
}

function parseTaskError(error: unknown): TaskError | undefined {
  if (!isObject(error)) return undefined
  const { code } = error
  return typeof code === 'string' && code !== '' && code.length <= CODE_CHARS
    ? (error as TaskError)
    : undefined
}

/** Reaction by the error’s member `recovery`. */
const actionsByRecovery: Record<string, ErrorAction> = {
  transient: 'retry',
  correctable: 'surface_to_caller',
  terminal: 'escalate_to_human',
}

/** Codes of temporary errors. */
const transient = new Set([
  'RATE_LIMITED',
  'SERVICE_UNAVAILABLE',
  'CONFLICT',
  'CAMPAIGN_SUSPENDED',
  'GOVERNANCE_UNAVAILABLE',
])
/** Codes of errors that a person must resolve; errors with any other code can be corrected by the caller. */
const terminal = new Set([
  'ACCOUNT_NOT_FOUND',
  'ACCOUNT_PAYMENT_REQUIRED',
  'ACCOUNT_SUSPENDED',
  'BUDGET_EXHAUSTED',
])
/** Prefix of vendor-specific codes. */
const OWN_CODE = /^X_/

/**
 * Chooses the reaction to an error by its `recovery`, else by its code. An unknown `recovery` is left to a
 * person.
 */
export function chooseAction(error: TaskError | undefined): ErrorAction {
  if (error === undefined) return 'generic_error'
  const { code, recovery } = error
  if (recovery !== undefined) {
    const isKnown = typeof recovery === 'string' && Object.hasOwn(actionsByRecovery, recovery)
    return (isKnown ? actionsByRecovery[recovery] : undefined) ?? 'escalate_to_human'
  }
  if (transient.has(code)) return 'retry'
  return terminal.has(code) || OWN_CODE.test(code) ? 'escalate_to_human' : 'surface_to_caller'
}

/** Reads how many seconds the agent asks callers to wait, at most an hour. */
export function readRetryAfter(error: TaskError | undefined): number | undefined {
  const seconds = error?.retry_after
  if (typeof seconds !== 'number' || !Number.isFinite(seconds) || seconds < 0) return undefined
  return Math.min(Math.ceil(seconds), RETRY_AFTER_MAX_S)
}

/** Tells whether an error says that the agent requires a credential. */
export function needsCredential(error: TaskError | undefined): boolean {
  return error !== undefined && /^(AUTH_|UNAUTHORIZED$|UNAUTHENTICATED$)/.test(error.code)
}
