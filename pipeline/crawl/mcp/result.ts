import { isObject, type JsonObject } from '../../parse/object-reader.ts'
import { readObject } from './message.ts'

/** Returns the key of errors in the payload of a task: `proto_error`. */
export function toErrorKey(protocolName: string): string {
  return `${protocolName}_error`
}

/**
 * Extracts the result of a tool: its structured content, else the first text that is a JSON object.
 * Undefined when the call failed or holds nothing but an error.
 */
export function extractResult(result: JsonObject, errorKey: string): JsonObject | undefined {
  if (result.isError === true) return undefined
  const payload = isObject(result.structuredContent)
    ? sanitizePayload(result.structuredContent)
    : findFirstTextObject(result)
  if (payload === undefined) return undefined
  const keys = Object.keys(payload)
  return keys.length === 1 && keys[0] === errorKey ? undefined : payload
}

/** Finds the first text that is a JSON object: lists and single values are no payload. */
export function findFirstTextObject(result: JsonObject): JsonObject | undefined {
  if (!Array.isArray(result.content)) return undefined
  for (const item of result.content) {
    if (!isObject(item) || item.type !== 'text' || typeof item.text !== 'string') continue
    const payload = item.text.trimStart().startsWith('{') ? readObject(item.text) : undefined
    if (payload !== undefined) return payload
  }
  return undefined
}

/** Removes the member that would set the prototype of a copy. */
function sanitizePayload(payload: JsonObject): JsonObject {
  if (!Object.hasOwn(payload, '__proto__')) return payload
  return Object.fromEntries(Object.entries(payload).filter(([key]) => key !== '__proto__'))
}
