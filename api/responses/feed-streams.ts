import type { ServerResponse } from 'node:http'
import { setImmediate } from 'node:timers/promises'
import type { Config } from '../../pipeline/core/config.ts'
import { refuse } from '../../pipeline/core/errors.ts'
import type { Log } from '../../pipeline/core/log.ts'
import { getFirst } from '../../pipeline/core/present.ts'
import type { EventType } from '../../pipeline/model/event.ts'
import { type FeedPage, readPageAfter } from '../../pipeline/read/lookups/feed.ts'
import type { FeedSubject } from '../../pipeline/read/lookups/feed-filter.ts'
import type { Reader } from '../../pipeline/read/reader.ts'
import { CallerShares } from '../limits/caller-shares.ts'
import { EXPIRED_CURSOR, refuseExpiredCursor } from './expired-cursor.ts'

/** Interval at which streams look for a new commit. */
const POLL_MS = 100
/** Pages and streams that are served before other work gets a turn. */
const SERVED_PER_TURN = 200
const STUCK_MS = 60_000
/** Pages that streams share, and for how long: those that began together stay together. */
const SHARED_PAGES_MAX = 8
const SHARED_MS = 2_000
const RETRY_AFTER_S = 30

export interface StreamRequest extends FeedSubject {
  cursor: string
  types: readonly EventType[]
  /** Maximum number of events per page. */
  limit: number
  heartbeatMs: number
  /** Id under which streams are counted together. */
  principal: string
}

/** A page as it is sent: its frame is written to every stream that waits at its place. */
type Page = Omit<FeedPage, 'body' | 'release' | 'list'> & { frame: Buffer }

/** A page with the commit and the time of which it is. */
interface SharedPage {
  page: Page
  seq: number
  builtAt: number
}

/** An open stream of the feed. `isBusy` while pages are being sent to it. */
interface Stream extends StreamRequest {
  response: ServerResponse
  isBusy: boolean
  heartbeatAt: number
}

/**
 * Serves the open streams of this process. An idle stream costs an occasional heartbeat. One page is built for
 * all streams that wait at the same cursor for the same types, and they take turns after each page.
 */
export class FeedStreams {
  readonly #reader: Reader
  readonly #config: Config
  readonly #log: Log
  readonly #streams: CallerShares<Stream>
  readonly #pages = new Map<string, SharedPage>()
  #seq = -1
  #isServing = false
  #timer: NodeJS.Timeout | undefined

  constructor(reader: Reader, config: Config, log: Log) {
    this.#reader = reader
    this.#config = config
    this.#streams = new CallerShares(config.LIMITS.feedStreams)
    this.#log = log
  }

  get count(): number {
    return this.#streams.count
  }

  /**
   * Checks the cursor and reserves a stream before anything is sent, so that a fault can still be an ordinary
   * answer.
   */
  admit(request: StreamRequest): (response: ServerResponse) => void {
    const { feedStreamsPerCaller } = this.#config.LIMITS
    if (this.#streams.countItems(request.principal) >= feedStreamsPerCaller) {
      refuse('unavailable', 'too many of your streams are open; close one, or try again', {
        retry_after: RETRY_AFTER_S,
      })
    }
    if (this.#pageFor(request) === undefined) {
      refuseExpiredCursor()
    }
    return response => this.#open(request, response)
  }

  close(): void {
    clearInterval(this.#timer)
    for (const { response } of this.#streams.items()) response.end()
  }

  #open(request: StreamRequest, response: ServerResponse): void {
    const stream: Stream = { ...request, response, isBusy: false, heartbeatAt: 0 }
    // Clients resume from their cursor, elsewhere or later.
    for (const gone of this.#streams.add(request.principal, stream)) gone.response.end()
    response.once('close', () => {
      this.#streams.remove(stream)
      if (this.count === 0) this.#pages.clear()
    })
    this.#timer ??= setInterval(() => void this.#poll(), POLL_MS)
    void this.#catchUp(stream)
  }

  /** Serves new commits, and heartbeats that are due. */
  async #poll(): Promise<void> {
    if (this.#isServing) return
    this.#isServing = true
    try {
      const seq = this.#seqNow
      if (seq !== this.#seq) await this.#serveCommit()
      this.#seq = seq
      await this.#beat()
    } catch (error) {
      this.#log.error({ err: error }, 'could not serve streams')
    } finally {
      this.#isServing = false
    }
  }

  async #serveCommit(): Promise<void> {
    for (const streams of this.#idleByPlace().values()) {
      const page = this.#pageFor(getFirst(streams))
      for (const [index, stream] of streams.entries()) {
        if (page === undefined) this.#expire(stream)
        else if (page.isEmpty) stream.cursor = page.cursor
        else this.#advance(stream, page)
        if (index % SERVED_PER_TURN === SERVED_PER_TURN - 1) await setImmediate()
      }
    }
  }

  /** Groups idle streams by the page that they get next. */
  #idleByPlace(): Map<string, Stream[]> {
    const places = new Map<string, Stream[]>()
    for (const stream of this.#streams.items()) {
      if (stream.isBusy) continue
      const place = toPlaceKey(stream)
      const others = places.get(place)
      if (others) others.push(stream)
      else places.set(place, [stream])
    }
    return places
  }

  #advance(stream: Stream, page: Page): void {
    stream.cursor = page.cursor
    const flows = this.#write(stream, page.frame)
    if (!flows || page.hasMore) void this.#catchUp(stream, flows)
  }

  /** Sends page after page, no faster than the client reads them, until the stream is idle. */
  async #catchUp(stream: Stream, flows = true): Promise<void> {
    stream.isBusy = true
    try {
      if (!flows) await waitForDrain(stream.response)
      while (isOpen(stream.response)) {
        const page = this.#pageFor(stream)
        if (page === undefined) return this.#expire(stream)
        stream.cursor = page.cursor
        if (page.isEmpty) {
          if (stream.heartbeatAt === 0) this.#sendHeartbeat(stream, page)
          return
        }
        if (!this.#write(stream, page.frame)) await waitForDrain(stream.response)
        await setImmediate()
      }
    } catch (error) {
      this.#fail(stream, error)
    } finally {
      stream.isBusy = false
    }
  }

  async #beat(): Promise<void> {
    const now = performance.now()
    const beats = new Map<string, Page | undefined>()
    let sent = 0
    for (const stream of this.#streams.items()) {
      if (stream.isBusy || stream.heartbeatAt > now) continue
      const place = toPlaceKey(stream)
      if (!beats.has(place)) beats.set(place, this.#pageFor(stream))
      const page = beats.get(place)
      if (page === undefined) this.#expire(stream)
      else if (page.isEmpty) this.#sendHeartbeat(stream, page)
      else void this.#catchUp(stream)
      if (++sent % SERVED_PER_TURN === 0) await setImmediate()
    }
  }

  #sendHeartbeat(stream: Stream, { cursor, freshness }: Page): void {
    stream.cursor = cursor
    const { generated_at } = freshness
    this.#write(
      stream,
      formatFrame('heartbeat', JSON.stringify({ generated_at, cursor, freshness })),
    )
  }

  /** Writes a frame; false when the caller does not keep up. One that gave way meanwhile gets nothing more. */
  #write(stream: Stream, frame: Buffer): boolean {
    if (!isOpen(stream.response)) return true
    stream.heartbeatAt = performance.now() + stream.heartbeatMs
    return stream.response.write(frame)
  }

  get #seqNow(): number {
    return this.#reader.serving?.seq ?? 0
  }

  /** Returns the page that follows at a place; undefined if the feed no longer has its cursor. */
  #pageFor(request: StreamRequest): Page | undefined {
    const place = toPlaceKey(request)
    const known = this.#pages.get(place)
    const [seq, builtAt] = [this.#seqNow, performance.now()]
    if (known?.seq === seq && builtAt - known.builtAt < SHARED_MS) return known.page
    this.#pages.delete(place)
    const page = this.#buildPage(request)
    if (page === undefined) return undefined
    const [oldest] = this.#pages.keys()
    if (oldest !== undefined && this.#pages.size >= SHARED_PAGES_MAX) this.#pages.delete(oldest)
    this.#pages.set(place, { page, seq, builtAt })
    return page
  }

  #buildPage({ cursor, types, limit, domain, agent }: StreamRequest): Page | undefined {
    const { feedPageBytes, feedRetentionDays } = this.#config.LIMITS
    const page = readPageAfter(this.#reader, {
      cursor,
      types,
      domain,
      agent,
      limit,
      maxBytes: feedPageBytes,
      retentionDays: feedRetentionDays,
    })
    if (page === undefined) return undefined
    const { body, release, list: _, ...rest } = page
    // Streams send the frame at different times, so it is a copy of the bytes.
    const frame = formatFrame('feed', body, rest.cursor)
    release()
    return { ...rest, frame }
  }

  #expire({ response }: Stream): void {
    const frame = { error: 'cursor_expired', message: EXPIRED_CURSOR }
    response.end(formatFrame('error', JSON.stringify(frame)))
  }

  #fail({ response }: Stream, error: unknown): void {
    if (!isOpen(response)) return
    this.#log.error({ err: error }, 'a stream failed')
    const message = 'the stream failed: connect again'
    response.end(formatFrame('error', JSON.stringify({ error: 'feed_stream_error', message })))
  }
}

/** Tells whether a response can still be written: it is neither closed nor ended. */
function isOpen({ destroyed, writableEnded }: ServerResponse): boolean {
  return !destroyed && !writableEnded
}

/** Builds the key of a stream's place: streams with the same key get the same page. */
function toPlaceKey({ cursor, types, limit, domain = '', agent = '' }: StreamRequest): string {
  return `${cursor} ${limit} ${types.join()} ${domain} ${agent}`
}

/**
 * Waits until the client has read what was sent. A client that reads nothing for a long time counts as
 * disconnected.
 */
function waitForDrain(response: ServerResponse): Promise<void> {
  return new Promise(resolve => {
    const timer = setTimeout(() => response.destroy(), STUCK_MS)
    const done = () => {
      clearTimeout(timer)
      response.off('drain', done).off('close', done)
      resolve()
    }
    response.on('drain', done).on('close', done)
  })
}

/** Formats a message; the id is what a client sends to continue after it. */
function formatFrame(event: string, data: string | Buffer, id?: string): Buffer {
  return Buffer.concat([
    Buffer.from(`event: ${event}\n${id === undefined ? '' : `id: ${id}\n`}data: `),
    Buffer.from(data),
    Buffer.from('\n\n'),
  ])
}
