import type { EventType } from '../../model/event.ts'
import { EventBlock, type EventKey, toTypeByte } from '../../serving/event-block.ts'
import type { LogName, ServingStore } from '../../serving/lmdb.ts'

const KEY_MIN = '\0'.repeat(16)
const KEY_MAX = '\xff'.repeat(16)

/** One ordered run of event blocks in the store: the whole log, or the events of one type. */
export interface Track {
  space: LogName
  prefix: string
}

export const wholeLog: Track = { space: 'event', prefix: '' }

/** Returns the track of the events of one type. */
export function toTrack(type: EventType): Track {
  return { space: 'event_by_type', prefix: String.fromCharCode(toTypeByte(type)) }
}

/** Finds the block that holds the event of this key, or would hold it. Valid until the next read. */
export function findBlockAround(
  store: ServingStore,
  { space, prefix }: Track,
  key: EventKey,
): EventBlock | undefined {
  const range = { start: prefix + key, end: prefix + KEY_MIN, reverse: true, limit: 1 }
  for (const { value } of store.events(space, range)) return new EventBlock(value)
  return undefined
}

/** Finds the newest event of a track. */
export function findNewest(store: ServingStore, track: Track): EventKey | undefined {
  return findBlockAround(store, track, KEY_MAX)?.lastKey
}

/** Iterates over the events of one track, a run of events at a time. */
export class TrackIterator {
  readonly #store: ServingStore
  readonly #track: Track
  /** Number of the iterator in its page; undefined when it is the only one. */
  readonly #number: number | undefined
  #laterBlocks: Iterator<{ value: Uint8Array }> | undefined
  #block: EventBlock | undefined
  #index = 0
  #end = 0
  /** Key of the current event; undefined at the end. */
  key: EventKey | undefined

  constructor(store: ServingStore, track: Track, from: EventKey, number: number | undefined) {
    this.#store = store
    this.#track = track
    this.#number = number
    this.#enter(findBlockAround(store, track, from))
    if (this.#block === undefined) this.#enter(this.#readNextBlock(from))
    while (this.#block !== undefined && this.#block.lastKey < from)
      this.#enter(this.#readNextBlock(from))
    if (this.#block !== undefined) this.#moveTo(this.#block.indexFrom(from))
  }

  /**
   * Selects the next run: the events from here that come before a key, at most `events` of them and at
   * most `bytes` long. Returns their number.
   */
  select(before: EventKey | undefined, events: number, bytes: number): number {
    const block = this.#currentBlock
    const from = this.#index
    let end = before === undefined ? block.count : block.indexFrom(before)
    end = Math.min(end, from + events)
    while (end > from && block.bytesBetween(from, end) > bytes) end--
    this.#end = end
    return end - from
  }

  /** Selects the current event alone as the next run, however large it is. */
  selectCurrent(): number {
    this.#end = this.#index + 1
    return 1
  }

  /** Moves past the current event. */
  skip(): void {
    this.selectCurrent()
    this.advance()
  }

  /** Returns the selected run as JSON with commas between; valid until the next `advance`. */
  get text(): Uint8Array {
    return this.#currentBlock.text(this.#index, this.#end)
  }

  /** Returns the key of the last event of the selected run. */
  get lastKey(): EventKey {
    return this.#currentBlock.keyAt(this.#end - 1)
  }

  /** Moves to the event after the selected run. */
  advance(): void {
    this.#moveTo(this.#end)
  }

  close(): void {
    this.#laterBlocks?.return?.()
  }

  /** Returns the block of the current event; only called while there is one. */
  get #currentBlock(): EventBlock {
    // biome-ignore lint/style/noNonNullAssertion: `key` says whether there is a current event, and callers check it
    return this.#block!
  }

  #moveTo(index: number): void {
    this.#index = index
    if (index < this.#currentBlock.count) this.key = this.#currentBlock.keyAt(index)
    else this.#enter(this.#readNextBlock(this.#currentBlock.lastKey))
  }

  #enter(block: EventBlock | undefined): void {
    const number = this.#number
    this.#block = number === undefined ? block : block?.copyTo(getBuffer(number, block))
    this.#index = 0
    this.key = this.#block?.keyAt(0)
  }

  /**
   * Moves to the next block. Most pages end in the block in which they begin, so later blocks are opened
   * only when needed.
   */
  #readNextBlock(after: EventKey): EventBlock | undefined {
    const { space, prefix } = this.#track
    this.#laterBlocks ??= this.#store
      .events(space, { start: prefix + after, exclusiveStart: true, end: prefix + KEY_MAX })
      [Symbol.iterator]()
    const { value, done } = this.#laterBlocks.next()
    return done ? undefined : new EventBlock(value.value)
  }
}

/** The iterators of one page read alternately, so each copies its block to a buffer of its own. */
const buffers: Buffer[] = []

function getBuffer(number: number, { bytes }: EventBlock): Buffer {
  const buffer = buffers[number]
  if (buffer !== undefined && buffer.length >= bytes) return buffer
  const larger = Buffer.allocUnsafeSlow(Math.max(2 * bytes, 64 * 1024))
  buffers[number] = larger
  return larger
}
