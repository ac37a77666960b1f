import type { Limits } from '../../core/limits.ts'
import type { Answered, Fetcher, PostOptions } from '../../fetch/http.ts'
import { isObject, type JsonObject } from '../../parse/object-reader.ts'
import { EventStream } from './event-stream.ts'
import {
  type McpFailure,
  toBodyFailure,
  toFetchFailure,
  toRpcFailure,
  toStatusFailure,
} from './failure.ts'
import { isErrorWithoutId, isReplyTo, type Message, readObject } from './message.ts'
import { toErrorKey } from './result.ts'

export interface McpDeps {
  fetcher: Pick<Fetcher, 'call'>
  limits: Limits
  /** The protocol's short name. */
  protocolName: string
  /** Sent with every call: a credential of this agent, and of no other. */
  headers?: Record<string, string>
  allow?: PostOptions['allow']
  /** Aborts open requests. */
  signal?: AbortSignal
}

/** The time that a series of calls may use together. */
export interface TimeBudget {
  remainingMs: number
}

export type Reply = { result: JsonObject } | { failure: McpFailure; error?: Message }

const ACCEPT = 'application/json, text/event-stream'
const SESSION_ID = /^[\x21-\x7e]{1,1024}$/
const VERSION = /^\d{4}-\d{2}-\d{2}$/
const OUR_VERSION = '2025-06-18'
/** Timeout of a notification, which has no answer worth waiting for. */
const NOTIFICATION_MS = 2_000

/**
 * Calls one MCP endpoint over Streamable HTTP, one call after the other, with no credential except those in
 * `deps`.
 */
export class McpSession {
  readonly endpoint: string
  /** Status and headers of the last answer; undefined where nothing came. */
  lastAnswer: Pick<Answered, 'status' | 'headers'> | undefined
  readonly #deps: McpDeps
  #headers: Record<string, string> = {}
  #lastId = 0

  constructor(endpoint: string, deps: McpDeps) {
    this.endpoint = endpoint
    this.#deps = deps
  }

  /** Initializes a session, and returns what the server says about itself. An issued session id is kept. */
  async initialize(time: TimeBudget): Promise<Reply> {
    const params = {
      protocolVersion: OUR_VERSION,
      capabilities: {},
      clientInfo: { name: 'agentic-ad-registry', version: '1.0.0' },
    }
    const reply = await this.call('initialize', params, time)
    if ('failure' in reply) return reply
    const { protocolVersion } = reply.result
    if (typeof protocolVersion === 'string' && VERSION.test(protocolVersion)) {
      this.#headers['mcp-protocol-version'] = protocolVersion
    }
    await this.#notify('notifications/initialized', time)
    return reply
  }

  /** Sends a request and waits for the message with its id, whatever arrives before it. */
  async call(
    method: string,
    params: object,
    time: TimeBudget,
    maxBytes: number = this.#deps.limits.agentAnswerBytes,
  ): Promise<Reply> {
    const id = ++this.#lastId
    this.lastAnswer = undefined
    const { reply, answered } = await this.#post({ jsonrpc: '2.0', id, method, params }, id, {
      time,
      deadlineMs: time.remainingMs,
      maxBytes,
    })
    this.lastAnswer = 'outcome' in answered ? undefined : answered
    if ('outcome' in answered) return { failure: answered }
    this.#keepSession(answered)
    if (answered.status !== 200) return this.#toRefusal(answered)
    const message = reply ?? readObject(answered.body)
    if (message === undefined) return { failure: toBodyFailure(answered, false) }
    if (isObject(message.error) && (isReplyTo(message, id) || isErrorWithoutId(message))) {
      return { failure: toRpcFailure(message, this.#errorKey), error: message }
    }
    if (!isReplyTo(message, id)) return { failure: toBodyFailure(answered, true) }
    return { result: message.result as JsonObject }
  }

  /**
   * Converts a response with another status than 200 to a failure, with the JSON-RPC error of its body if
   * any.
   */
  #toRefusal(answered: Answered): Reply {
    const error = readObject(answered.body)
    const failure = toStatusFailure(answered)
    return error !== undefined && isObject(error.error) ? { failure, error } : { failure }
  }

  async #notify(method: string, time: TimeBudget): Promise<void> {
    const deadlineMs = Math.min(NOTIFICATION_MS, time.remainingMs)
    await this.#post({ jsonrpc: '2.0', method }, undefined, { time, deadlineMs, maxBytes: 4_096 })
  }

  /** Posts a message; without an id no reply is expected. Takes the time it uses from the budget. */
  async #post(
    message: object,
    id: number | undefined,
    { time, deadlineMs, maxBytes }: { time: TimeBudget; deadlineMs: number; maxBytes: number },
  ): Promise<{ reply?: Message; answered: Answered | McpFailure }> {
    if (deadlineMs <= 0) {
      return { answered: { outcome: 'timeout', detail: 'no complete answer in time' } }
    }
    let reply: Message | undefined
    const stream = new EventStream()
    const { fetcher, headers, allow = { anyPort: true }, signal } = this.#deps
    const called = await fetcher.call(this.endpoint, {
      body: JSON.stringify(message),
      accept: ACCEPT,
      headers: { ...headers, ...this.#headers },
      maxBytes,
      deadlineMs,
      allow,
      ...(signal && { signal }),
      onPiece: type => {
        if (type !== 'text/event-stream') return undefined
        return piece => {
          for (const event of stream.push(piece)) reply ??= readReply(event, id)
          return reply !== undefined || id === undefined
        }
      },
    })
    time.remainingMs -= called.tookMs
    if (called.kind === 'failed') return { answered: toFetchFailure(called) }
    return { answered: called, ...(reply && { reply }) }
  }

  #keepSession({ headers }: Answered): void {
    const session = headers['mcp-session-id']
    if (typeof session === 'string' && SESSION_ID.test(session)) {
      this.#headers = { ...this.#headers, 'mcp-session-id': session }
    }
  }

  get #errorKey(): string {
    return toErrorKey(this.#deps.protocolName)
  }
}

/** Reads an event of a stream; undefined if it is not the reply to this request. */
function readReply(event: string, id: number | undefined): Message | undefined {
  const message = readObject(event)
  return message !== undefined && id !== undefined && isReplyTo(message, id) ? message : undefined
}
