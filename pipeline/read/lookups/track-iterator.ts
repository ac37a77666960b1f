import type { EventType } from '../../model/event.ts'
import { EventBlock, type EventKey, toTypeByte } from '../../serving/event-block.ts'
import type { LogName, ServingStore } from '../../serving/lmdb.ts'

const KEY_MIN = '\0'.repeat(16)
export const KEY_MAX = '\xff'.repeat(16)

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

/** Finds the first block that has an event of this key or a later one. Valid until the next read. */
export function findBlockFrom(
  store: ServingStore,
  { space, prefix }: Track,
  key: EventKey,
): EventBlock | undefined {
  const range = { start: prefix + key, end: prefix + KEY_MAX, limit: 1 }
  for (const { value } of store.events(space, range)) return new EventBlock(value)
  return undefined
}

/** Iterates over the blocks that have events before a key, the newest first. Each is valid until the next. */
export function* iterateBlocksBefore(
  store: ServingStore,
  track: Track,
  key: EventKey,
): Iterable<EventBlock> {
  const around = findBlockFrom(store, track, key)
  if (around !== undefined && around.keyAt(0) < key) yield around
  const { space, prefix } = track
  const range = { start: prefix + key, exclusiveStart: true, end: prefix + KEY_MIN, reverse: true }
  for (const { value } of store.events(space, range)) yield new EventBlock(value)
}

/** Finds the newest event before a key. */
export function findEventBefore(
  store: ServingStore,
  track: Track,
  key: EventKey,
): EventKey | undefined {
  for (const block of iterateBlocksBefore(store, track, key))
    return block.keyAt(block.indexFrom(key) - 1)
  return undefined
}

/** Finds the newest event of a track. */
export function findNewest(store: ServingStore, track: Track): EventKey | undefined {
  return findEventBefore(store, track, KEY_MAX)
}

/** Iterates over the events of one track, a run of events at a time. */
export class TrackIterator {
  readonly #blocks: Iterator<{ value: Uint8Array }>
  /** Number of the iterator in its page; undefined when it is the only one. */
  readonly #number: number | undefined
  #block: EventBlock | undefined
  #index = 0
  #end = 0
  /** Key of the current event; undefined at the end. */
  key: EventKey | undefined

  constructor(store: ServingStore, track: Track, from: EventKey, number: number | undefined) {
    const { space, prefix } = track
    const range = { start: prefix + from, end: prefix + KEY_MAX }
    this.#blocks = store.events(space, range)[Symbol.iterator]()
    this.#number = number
    this.#enterNextBlock()
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
    this.#blocks.return?.()
  }

  /** Returns the block of the current event; only called while there is one. */
  get #currentBlock(): EventBlock {
    // biome-ignore lint/style/noNonNullAssertion: `key` says whether there is a current event, and callers check it
    return this.#block!
  }

  #moveTo(index: number): void {
    this.#index = index
    if (index < this.#currentBlock.count) this.key = this.#currentBlock.keyAt(index)
    else this.#enterNextBlock()
  }

  #enterNextBlock(): void {
    const { value, done } = this.#blocks.next()
    const block = done ? undefined : new EventBlock(value.value)
    const number = this.#number
    this.#block = number === undefined ? block : block?.copyTo(getBuffer(number, block))
    this.#index = 0
    this.key = this.#block?.keyAt(0)
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
