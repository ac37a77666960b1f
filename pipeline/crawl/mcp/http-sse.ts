import { isObject, type JsonObject } from '../../parse/object-reader.ts'
import { waitWithin } from '../deadline.ts'
import {
  type AnswerHead,
  type CallBounds,
  type Channel,
  hasBatches,
  type McpDeps,
  type Reply,
  timedOut,
} from './channel.ts'
import { type McpFailure, toFetchFailure, toRpcFailure, toStatusFailure } from './failure.ts'
import { isReplyTo, type Message, readMessages } from './message.ts'
import { ReplyStream } from './reply-stream.ts'
import { toErrorKey } from './result.ts'

/** Time without a call after which the stream is closed; the next call begins another session. */
const IDLE_MS = 5_000
/** The answer to a message is an acknowledgement. */
const ACKNOWLEDGEMENT_BYTES = 16 * 1024

const lostStream: McpFailure = {
  outcome: 'connection_failed',
  detail: 'answers with a stream that ends without the reply',
  status: 200,
}

/**
 * The transport of the protocol of 2024-11-05: a GET opens a stream of events, the first of which names the
 * address that takes messages; replies come in the stream.
 */
export class HttpSse implements Channel {
  readonly endpoint: string
  lastAnswer: AnswerHead | undefined
  version: string | undefined
  readonly #deps: McpDeps
  #stream: ReplyStream | undefined
  #idle: NodeJS.Timeout | undefined

  constructor(endpoint: string, deps: McpDeps) {
    this.endpoint = endpoint
    this.#deps = deps
  }

  restart(): void {
    this.close()
    this.version = undefined
    this.#stream = new ReplyStream(this.endpoint, this.#deps)
  }

  /** Closes the stream; the server forgets the session with it. */
  close(): void {
    clearTimeout(this.#idle)
    this.#stream?.close()
    this.#stream = undefined
  }

  async call(message: object, id: number, bounds: CallBounds): Promise<Reply> {
    this.lastAnswer = undefined
    const started = performance.now()
    clearTimeout(this.#idle)
    const reply = await this.#call(message, id, bounds)
    this.#idle = setTimeout(() => this.close(), IDLE_MS).unref()
    bounds.time.remainingMs -= performance.now() - started
    if (!('failure' in reply)) this.lastAnswer = this.#stream?.head
    return reply
  }

  async notify(message: object, bounds: CallBounds): Promise<void> {
    const place = await this.#stream?.findMessagePlace(bounds.deadlineMs)
    if (place === undefined || 'outcome' in place) return
    const posted = await this.#post(place, message, bounds.deadlineMs)
    bounds.time.remainingMs -= posted.tookMs
  }

  async #call(message: object, id: number, { deadlineMs }: CallBounds): Promise<Reply> {
    const stream = this.#stream
    if (stream === undefined || stream.hasEnded) return { failure: lostStream, isLost: true }
    const until = performance.now() + deadlineMs
    const place = await stream.findMessagePlace(deadlineMs)
    if ('outcome' in place) return { failure: place }
    const awaited = stream.awaitReply(data =>
      readMessages(data, hasBatches(this)).find(each => isReplyTo(each, id)),
    )
    const posted = await this.#post(place, message, until - performance.now())
    if (posted.kind === 'failed') return { failure: toFetchFailure(posted) }
    if (posted.status === 404) {
      return { failure: { ...toStatusFailure(posted), outcome: 'http_error' }, isLost: true }
    }
    if (posted.status >= 300) return { failure: toStatusFailure(posted) }
    const reply = await waitWithin(until - performance.now(), awaited, { failure: timedOut })
    return 'failure' in reply ? reply : this.#readReply(reply.message)
  }

  #readReply(message: Message): Reply {
    if (!isObject(message.error)) return { result: message.result as JsonObject }
    const failure = toRpcFailure(message, toErrorKey(this.#deps.protocolName))
    return { failure, error: message }
  }

  #post(place: URL, message: object, deadlineMs: number) {
    const { fetcher, headers, allow = { anyPort: true }, signal } = this.#deps
    return fetcher.call(place.href, {
      body: JSON.stringify(message),
      accept: 'application/json, text/event-stream',
      ...(headers && { headers }),
      maxBytes: ACKNOWLEDGEMENT_BYTES,
      deadlineMs: Math.max(1, Math.ceil(deadlineMs)),
      allow,
      ...(signal && { signal }),
    })
  }
}
