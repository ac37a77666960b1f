import { pickDecisive } from '../../core/outcomes.ts'
import { isObject } from '../../parse/object-reader.ts'
import type { AnswerHead, Channel, McpDeps, Reply, TimeBudget } from './channel.ts'
import type { Message } from './message.ts'

export type { McpDeps, Reply, TimeBudget } from './channel.ts'

const VERSION = /^\d{4}-\d{2}-\d{2}$/
const OUR_VERSION = '2025-06-18'
/** Versions that a session can be held in, the preferred ones first. */
const knownVersions = [OUR_VERSION, '2025-11-25', '2025-03-26', '2024-11-05']
const INVALID_PARAMS = -32_602
/** Timeout of a notification, which has no answer worth waiting for. */
const NOTIFICATION_MS = 2_000
const NOTIFICATION_BYTES = 4_096

/**
 * Calls one MCP endpoint, one call after the other. A session that the server has forgotten is renewed once
 * per call.
 */
export class McpSession {
  readonly #channel: Channel
  readonly #deps: Pick<McpDeps, 'limits'>
  #lastId = 0

  constructor(channel: Channel, deps: Pick<McpDeps, 'limits'>) {
    this.#channel = channel
    this.#deps = deps
  }

  get endpoint(): string {
    return this.#channel.endpoint
  }

  /** Returns status and headers of the last answer; undefined where nothing came. */
  get lastAnswer(): AnswerHead | undefined {
    return this.#channel.lastAnswer
  }

  /**
   * Initializes a session, and returns what the server says about itself. A server that refuses our version
   * and names its own is asked again with one of these.
   */
  async initialize(time: TimeBudget): Promise<Reply> {
    const first = await this.#shakeHands(OUR_VERSION, time)
    const version = 'failure' in first ? findOfferedVersion(first.error) : undefined
    if (version === undefined || !('failure' in first)) return first
    const second = await this.#shakeHands(version, time)
    if (!('failure' in second)) return second
    return { ...second, failure: pickDecisive(first.failure, second.failure) }
  }

  /** Sends a request and waits for the message with its id, whatever arrives before it. */
  async call(
    method: string,
    params: object,
    time: TimeBudget,
    maxBytes: number = this.#deps.limits.agentAnswerBytes,
  ): Promise<Reply> {
    const reply = await this.#send(method, params, time, maxBytes)
    if (!('failure' in reply) || !reply.isLost) return reply
    const renewed = await this.initialize(time)
    if ('failure' in renewed) {
      return { ...renewed, failure: pickDecisive(reply.failure, renewed.failure) }
    }
    return this.#send(method, params, time, maxBytes)
  }

  async #shakeHands(protocolVersion: string, time: TimeBudget): Promise<Reply> {
    this.#channel.restart()
    const params = {
      protocolVersion,
      capabilities: {},
      clientInfo: { name: 'agentic-ad-registry', version: '1.0.0' },
    }
    const { agentAnswerBytes } = this.#deps.limits
    const reply = await this.#send('initialize', params, time, agentAnswerBytes)
    if ('failure' in reply) return reply
    const agreed = reply.result.protocolVersion
    if (typeof agreed === 'string' && VERSION.test(agreed)) this.#channel.version = agreed
    const deadlineMs = Math.min(NOTIFICATION_MS, time.remainingMs)
    await this.#channel.notify(
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { time, deadlineMs, maxBytes: NOTIFICATION_BYTES },
    )
    return reply
  }

  #send(method: string, params: object, time: TimeBudget, maxBytes: number): Promise<Reply> {
    const id = ++this.#lastId
    const bounds = { time, deadlineMs: time.remainingMs, maxBytes }
    return this.#channel.call({ jsonrpc: '2.0', id, method, params }, id, bounds)
  }
}

/** Finds a version that a server offers in place of the refused one, and in which we can speak. */
function findOfferedVersion(message: Message | undefined): string | undefined {
  const error = message?.error
  if (!isObject(error) || error.code !== INVALID_PARAMS || !isObject(error.data)) return undefined
  const { supported } = error.data
  if (!Array.isArray(supported)) return undefined
  return knownVersions.find(version => version !== OUR_VERSION && supported.includes(version))
}
