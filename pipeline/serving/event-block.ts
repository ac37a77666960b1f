import { getLast } from '../core/present.ts'
import { parseIdBytes, toIdBytes } from '../core/uuid-v7.ts'
import { type EventType, eventTypeNames, type FeedEvent } from '../model/event.ts'

/** Events of one commit in a block at most. Storing them together lets a page of the feed read few values. */
const BLOCK_EVENTS = 128

const COUNT_BYTES = 1
const ENTRY_BYTES = 16 + 4

/** An id of 16 bytes, a character a byte: its order as text is the order of the log. */
export type EventKey = string

/** Converts a key to the id of its event. */
export function toEventId(key: EventKey): string {
  return parseIdBytes(Buffer.from(key, 'latin1'))
}

/** Converts a type to one byte, so that the blocks of a type are one key range. */
export function toTypeByte(type: EventType): number {
  return eventTypeNames.indexOf(type)
}

/** A block and the id of its last event: the first block from an id on is the one that has it. */
export interface MadeBlock {
  id: Buffer
  value: Buffer
}

/**
 * Builds the blocks of a commit's events, which never change afterwards. The value of a block: the
 * number of events; for each its id and the end of its text; then the texts as JSON with commas
 * between, so that any run of them can be sent unchanged.
 */
export function buildBlocks(events: readonly FeedEvent[]): MadeBlock[] {
  const count = Math.ceil(events.length / BLOCK_EVENTS)
  return Array.from({ length: count }, (_, index) =>
    buildBlock(events.slice(index * BLOCK_EVENTS, (index + 1) * BLOCK_EVENTS)),
  )
}

function buildBlock(events: readonly FeedEvent[]): MadeBlock {
  const texts = events.map(event => Buffer.from(JSON.stringify(event)))
  const head = Buffer.alloc(COUNT_BYTES + events.length * ENTRY_BYTES)
  head.writeUInt8(events.length, 0)
  let end = 0
  events.forEach(({ event_id }, index) => {
    const at = COUNT_BYTES + index * ENTRY_BYTES
    // biome-ignore lint/style/noNonNullAssertion: there is a text for each event
    end += texts[index]!.length + (index === 0 ? 0 : 1)
    toIdBytes(event_id).copy(head, at)
    head.writeUInt32BE(end, at + 16)
  })
  const joined = texts.flatMap((text, index) => (index === 0 ? [text] : [COMMA, text]))
  return { id: toIdBytes(getLast(events).event_id), value: Buffer.concat([head, ...joined]) }
}

const COMMA = Buffer.from(',')

/** Reads a stored block. It is a view of the bytes it was created with, and is valid as long as they are. */
export class EventBlock {
  readonly count: number
  readonly #bytes: Buffer
  readonly #texts: number

  constructor(value: Uint8Array) {
    this.#bytes = Buffer.from(value.buffer, value.byteOffset, value.length)
    this.count = this.#bytes[0] ?? 0
    this.#texts = COUNT_BYTES + this.count * ENTRY_BYTES
  }

  get bytes(): number {
    return this.#bytes.length
  }

  copyTo(place: Buffer): EventBlock {
    place.set(this.#bytes)
    return new EventBlock(place.subarray(0, this.#bytes.length))
  }

  keyAt(index: number): EventKey {
    const at = COUNT_BYTES + index * ENTRY_BYTES
    return this.#bytes.toString('latin1', at, at + 16)
  }

  /** Finds the index of the first event at or after a key; `count` when all come before it. */
  indexFrom(key: EventKey): number {
    let [low, high] = [0, this.count]
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.keyAt(middle) < key) low = middle + 1
      else high = middle
    }
    return low
  }

  has(key: EventKey): boolean {
    const index = this.indexFrom(key)
    return index < this.count && this.keyAt(index) === key
  }

  get lastKey(): EventKey {
    return this.keyAt(this.count - 1)
  }

  /** Returns the bytes of the text from one event up to another, commas between included. */
  bytesBetween(from: number, to: number): number {
    return this.#end(to - 1) - this.#start(from)
  }

  text(from: number, to: number): Uint8Array {
    const [start, end] = [this.#texts + this.#start(from), this.#texts + this.#end(to - 1)]
    return this.#bytes.subarray(start, end)
  }

  #start(index: number): number {
    return index === 0 ? 0 : this.#end(index - 1) + 1
  }

  #end(index: number): number {
    return this.#bytes.readUInt32BE(COUNT_BYTES + index * ENTRY_BYTES + 16)
  }
}
