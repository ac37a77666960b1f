import { Faults } from '../../parse/faults.ts'
import { isObject, type JsonObject } from '../../parse/object-reader.ts'
import { readJson } from '../../parse/read-json.ts'

/** A received message: an object that is safe to pass on. */
export type Message = JsonObject

/** Reads a JSON object from text or bytes that a peer sent; undefined if it is not one, or nested too deeply. */
export function readObject(text: string | Uint8Array): JsonObject | undefined {
  const bytes = typeof text === 'string' ? Buffer.from(text) : text
  const read = readJson(bytes, new Faults(1))
  return read.outcome === 'ok' ? read.root : undefined
}

const BATCH_START = /^\s*\[/

/**
 * Reads the messages of a body or an event: one, or a list of them where the version of the protocol has
 * batches. Empty if it is neither.
 */
export function readMessages(text: string, hasBatches: boolean): Message[] {
  if (!hasBatches || !BATCH_START.test(text)) {
    const message = readObject(text)
    return message === undefined ? [] : [message]
  }
  // As a member of an object, the list is read by the rules of a single message.
  const list = readObject(`{"batch":${text}}`)?.batch
  return Array.isArray(list) ? list.filter(isObject) : []
}

/**
 * Tells whether a message is the reply to the request with this id: a result or an error. Gateways return
 * the number as text.
 */
export function isReplyTo(message: Message, id: number): boolean {
  const isOfId = message.id === id || message.id === String(id)
  return isOfId && (isObject(message.result) || isObject(message.error))
}

/** Tells whether a message is an error without an id, as for a request that the server could not even parse. */
export function isErrorWithoutId(message: Message): boolean {
  return (message.id === null || message.id === undefined) && isObject(message.error)
}
