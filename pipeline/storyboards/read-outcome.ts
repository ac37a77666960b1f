import { extractResult, findFirstTextObject } from '../crawl/mcp/result.ts'
import { readTaskError } from '../crawl/mcp/task-error.ts'
import { isObject, type JsonObject } from '../parse/object-reader.ts'
import type { TaskOutcome } from './judged.ts'

/** Reads the result of a tool: an error may be in the result, in its text, or in a payload of errors only. */
export function readOutcome(result: JsonObject, errorKey: string): TaskOutcome {
  const payload = extractResult(result, errorKey)
  if (payload === undefined) {
    const body = isObject(result.structuredContent)
      ? result.structuredContent
      : (findFirstTextObject(result) ?? {})
    return { payload: body, error: toError(readTaskError(result, 'mcp', errorKey)) }
  }
  const [first] = Array.isArray(payload.errors) ? payload.errors : []
  const isRefusal = isObject(first) && !Object.keys(payload).some(isResultKey)
  const read = {
    payload,
    ...(!isObject(result.structuredContent) && { isFromText: true as const }),
  }
  return isRefusal ? { ...read, error: toError(first) } : read
}

/** Reads the error of JSON-RPC with which a call was refused. */
export function readRefusal(message: JsonObject, errorKey: string): TaskOutcome {
  return { payload: {}, error: toError(readTaskError(message, 'mcp', errorKey)) }
}

/** Members beside the errors of a failed task. */
const besideErrors = new Set(['errors', 'context', 'ext', 'status', 'message', 'sandbox'])
const isResultKey = (key: string) => !besideErrors.has(key)

function toError(error: JsonObject | undefined): NonNullable<TaskOutcome['error']> {
  return {
    ...(typeof error?.code === 'string' && { code: error.code }),
    ...(typeof error?.message === 'string' && { message: error.message }),
    ...(error !== undefined && { body: error }),
  }
}
