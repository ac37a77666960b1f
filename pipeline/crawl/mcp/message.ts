import { Faults } from '../../parse/faults.ts'
import { isObject, type JsonObject } from '../../parse/object-reader.ts'
import { readJson } from '../../parse/read-json.ts'

/** A message as it came: an object that is safe to hand around. */
export type Message = JsonObject

/** A JSON object out of text or bytes that a peer sent; undefined when it is none, or too deep. */
export function readObject(text: string | Uint8Array): JsonObject | undefined {
  const bytes = typeof text === 'string' ? Buffer.from(text) : text
  const read = readJson(bytes, new Faults(1))
  return read.outcome === 'ok' ? read.root : undefined
}

/** Tells whether a message is the reply to the request with this id: a result or an error. */
export function isReplyTo(message: Message, id: number): boolean {
  return message.id === id && (isObject(message.result) || isObject(message.error))
}

/** An error about a request the server could not even read has no id. */
export function isErrorWithoutId(message: Message): boolean {
  return (message.id === null || message.id === undefined) && isObject(message.error)
}
