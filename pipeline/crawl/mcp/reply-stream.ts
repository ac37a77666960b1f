import { parseUrl } from '../../core/url.ts'
import type { PostResult } from '../../fetch/http.ts'
import { waitWithin } from '../deadline.ts'
import { type AnswerHead, type McpDeps, timedOut } from './channel.ts'
import { EventStream, type ServerSentEvent } from './event-stream.ts'
import { type McpFailure, toBodyFailure, toFetchFailure, toStatusFailure } from './failure.ts'
import type { Message } from './message.ts'

/** Time for which one stream is read at most. */
const STREAM_MS = 120_000
const PLACE_CHARS_MAX = 2_048

const ended: McpFailure = {
  outcome: 'connection_failed',
  detail: 'answers with a stream that ends without the reply',
  status: 200,
}
const noPlace: McpFailure = {
  outcome: 'unusable',
  detail: 'answers with a stream that names no address of its own for messages',
}

/** Result of waiting for a reply. */
export type StreamReply = { message: Message } | { failure: McpFailure }

/** The stream in which a server of HTTP+SSE (2024-11-05) names its address for messages, and replies. */
export class ReplyStream {
  /** Status and headers of its answer; undefined before it. */
  head: AnswerHead | undefined
  hasEnded = false
  readonly #base: string
  readonly #stop = new AbortController()
  readonly #events = new EventStream()
  readonly #place: Promise<URL | McpFailure>
  #settlePlace: (place: URL | McpFailure) => void = () => {}
  #waiting: { find: FindReply; settle: (reply: StreamReply) => void } | undefined

  constructor(url: string, deps: McpDeps) {
    this.#base = url
    this.#place = new Promise(resolve => {
      this.#settlePlace = resolve
    })
    void this.#listen(url, deps).then(failure => this.#end(failure))
  }

  close(): void {
    this.#stop.abort()
  }

  /** Waits for the address that takes messages. */
  findMessagePlace(ms: number): Promise<URL | McpFailure> {
    return waitWithin(ms, this.#place, timedOut)
  }

  /** Waits for the event with a reply; to be called before the request is sent. One reply is awaited at a time. */
  awaitReply(find: FindReply): Promise<StreamReply> {
    if (this.hasEnded) return Promise.resolve({ failure: ended })
    return new Promise(settle => {
      this.#waiting = { find, settle }
    })
  }

  async #listen(
    url: string,
    { fetcher, headers, limits, allow = { anyPort: true }, signal }: McpDeps,
  ): Promise<McpFailure> {
    const stop = this.#stop.signal
    const listened = await fetcher.call(url, {
      accept: 'text/event-stream',
      ...(headers && { headers }),
      maxBytes: limits.agentToolsBytes,
      deadlineMs: STREAM_MS,
      allow,
      signal: signal ? AbortSignal.any([signal, stop]) : stop,
      onPiece: type => piece => type !== 'text/event-stream' || this.#read(piece),
    })
    return toEnd(listened)
  }

  #read(piece: Buffer): boolean {
    for (const event of this.#events.push(piece)) this.#receive(event)
    return this.hasEnded
  }

  #receive({ type, data }: ServerSentEvent): void {
    if (type === 'endpoint') return this.#settlePlace(resolvePlace(data, this.#base) ?? noPlace)
    const message = this.#waiting?.find(data)
    if (message === undefined) return
    this.#waiting?.settle({ message })
    this.#waiting = undefined
  }

  #end(failure: McpFailure): void {
    this.hasEnded = true
    // An address that came before stays; a promise is settled once.
    this.#settlePlace(failure === ended ? noPlace : failure)
    this.#waiting?.settle({ failure })
    this.#waiting = undefined
  }
}

type FindReply = (data: string) => Message | undefined

function toEnd(listened: PostResult): McpFailure {
  if (listened.kind === 'failed') return toFetchFailure(listened)
  if (listened.status !== 200) return toStatusFailure(listened)
  return listened.contentType === 'text/event-stream' ? ended : toBodyFailure(listened, false)
}

/** Resolves the address for messages. It must be of the same origin: credentials are sent there. */
function resolvePlace(written: string, base: string): URL | undefined {
  if (written.length > PLACE_CHARS_MAX) return undefined
  const place = parseUrl(written, base)
  return place?.origin === new URL(base).origin ? place : undefined
}
