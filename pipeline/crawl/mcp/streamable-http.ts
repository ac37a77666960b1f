import type { Answered } from '../../fetch/http.ts'
import { isObject, type JsonObject } from '../../parse/object-reader.ts'
import {
  type AnswerHead,
  type CallBounds,
  type Channel,
  hasBatches,
  type McpDeps,
  type Reply,
  timedOut,
} from './channel.ts'
import { EventStream } from './event-stream.ts'
import {
  type McpFailure,
  toBodyFailure,
  toFetchFailure,
  toRpcFailure,
  toStatusFailure,
} from './failure.ts'
import { isErrorWithoutId, isReplyTo, type Message, readMessages, readObject } from './message.ts'
import { toErrorKey } from './result.ts'

const ACCEPT = 'application/json, text/event-stream'
const SESSION_ID = /^[\x21-\x7e]{1,1024}$/

/**
 * The transport of the protocol since 2025-03-26: each message is a POST, and its reply comes in the answer,
 * as JSON or in a stream of events. Sends no credential except those in `deps`.
 */
export class StreamableHttp implements Channel {
  readonly endpoint: string
  lastAnswer: AnswerHead | undefined
  version: string | undefined
  readonly #deps: McpDeps
  #sessionId: string | undefined

  constructor(endpoint: string, deps: McpDeps) {
    this.endpoint = endpoint
    this.#deps = deps
  }

  restart(): void {
    this.version = undefined
    this.#sessionId = undefined
  }

  /** Closes nothing: between two calls no request is open. */
  close(): void {}

  /** Sends a request and waits for the message with its id, whatever arrives before it. */
  async call(message: object, id: number, bounds: CallBounds): Promise<Reply> {
    this.lastAnswer = undefined
    const { reply, answered } = await this.#post(message, id, bounds)
    if ('outcome' in answered) return { failure: answered }
    this.lastAnswer = answered
    if (answered.status !== 200) return this.#toRefusal(answered)
    this.#keepSession(answered)
    return this.#readReply(reply ?? this.#findReply(answered, id), answered, id)
  }

  async notify(message: object, bounds: CallBounds): Promise<void> {
    await this.#post(message, undefined, bounds)
  }

  #findReply({ body }: Answered, id: number): Message | undefined {
    const messages = readMessages(body.toString(), hasBatches(this))
    return messages.find(message => isReplyTo(message, id)) ?? messages[0]
  }

  #readReply(message: Message | undefined, answered: Answered, id: number): Reply {
    if (message === undefined) return { failure: toBodyFailure(answered, false) }
    if (isObject(message.error) && (isReplyTo(message, id) || isErrorWithoutId(message))) {
      const errorKey = toErrorKey(this.#deps.protocolName)
      return { failure: toRpcFailure(message, errorKey), error: message }
    }
    if (!isReplyTo(message, id)) return { failure: toBodyFailure(answered, true) }
    return { result: message.result as JsonObject }
  }

  /**
   * Converts a response with another status than 200 to a failure, with the JSON-RPC error of its body if
   * any. In a session, a 404 says that the session has ended, and nothing about the agent.
   */
  #toRefusal(answered: Answered): Reply {
    const failure = toStatusFailure(answered)
    const read = readObject(answered.body)
    const error = read !== undefined && isObject(read.error) ? { error: read } : {}
    if (this.#sessionId === undefined || !hasLostSession(answered, read))
      return { failure, ...error }
    return { failure: { ...failure, outcome: 'http_error' }, ...error, isLost: true }
  }

  /** Posts a message; without an id no reply is expected. Takes the time it uses from the budget. */
  async #post(
    message: object,
    id: number | undefined,
    { time, deadlineMs, maxBytes }: CallBounds,
  ): Promise<{ reply?: Message; answered: Answered | McpFailure }> {
    if (deadlineMs <= 0) return { answered: timedOut }
    let reply: Message | undefined
    const stream = new EventStream()
    const { fetcher, headers, allow = { anyPort: true }, signal } = this.#deps
    const called = await fetcher.call(this.endpoint, {
      body: JSON.stringify(message),
      accept: ACCEPT,
      headers: {
        ...headers,
        ...(this.version !== undefined && { 'mcp-protocol-version': this.version }),
        ...(this.#sessionId !== undefined && { 'mcp-session-id': this.#sessionId }),
      },
      maxBytes,
      deadlineMs,
      allow,
      ...(signal && { signal }),
      onPiece: type => {
        if (type !== 'text/event-stream') return undefined
        return piece => {
          for (const { data } of stream.push(piece)) reply ??= this.#readEvent(data, id)
          return reply !== undefined || id === undefined
        }
      },
    })
    time.remainingMs -= called.tookMs
    if (called.kind === 'failed') return { answered: toFetchFailure(called) }
    return { answered: called, ...(reply && { reply }) }
  }

  /** Reads the data of an event; undefined if it holds no reply to this request. */
  #readEvent(data: string, id: number | undefined): Message | undefined {
    if (id === undefined) return undefined
    return readMessages(data, hasBatches(this)).find(message => isReplyTo(message, id))
  }

  #keepSession({ headers }: Answered): void {
    const session = headers['mcp-session-id']
    if (typeof session === 'string' && SESSION_ID.test(session)) this.#sessionId = session
  }
}

/** Tells whether a server no longer knows a session: by 404, or by an error that names the session, as some do. */
function hasLostSession({ status }: Answered, body: JsonObject | undefined): boolean {
  if (status === 404) return true
  const message = isObject(body?.error) ? body.error.message : undefined
  return status === 400 && typeof message === 'string' && /session/i.test(message)
}
