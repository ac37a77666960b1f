import { bytesOfId } from '../core/uuid-v7.ts'
import { type EventType, eventTypeNames, eventTypes, type FeedEvent } from '../model/event.ts'

/**
 * Events of one commit that tell of the same kind of entity are kept together, this many at a time:
 * a page then reads few values, and a filter by kind reads little that it does not send.
 */
export const BLOCK_EVENTS = 16

const HEAD_BYTES = 1
const ENTRY_BYTES = 16 + 1 + 4

/** An id of 16 bytes, a character a byte: its order as text is the order of the log. */
export type EventKey = string

/** Kinds of entities that events tell of. Each has a lane of blocks; its place is its byte. */
export const entities = [...new Set(eventTypeNames.map(type => eventTypes[type].entity))]

export function entityByte(type: EventType): number {
  return entities.indexOf(eventTypes[type].entity)
}

/** One byte a type, so that the blocks with a type are one key range. */
export function typeByte(type: EventType): number {
  return eventTypeNames.indexOf(type)
}

export interface MadeBlock {
  /** The byte of its lane, then the id of its first event. */
  key: Buffer
  value: Buffer
  /** Which of its events have a type: 32 bits, the first event the lowest, big-endian. */
  masks: Map<EventType, Buffer>
}

/**
 * Puts the events of one commit into blocks. A block is never changed again. Its value: the number of
 * events; for each its id, the byte of its type and where its text ends; then the texts as JSON with
 * commas between, so that any run of them can be sent as it stands.
 */
export function blocksOf(commit: readonly FeedEvent[]): MadeBlock[] {
  return entities.flatMap((entity, lane) => {
    const events = commit.filter(({ event_type }) => eventTypes[event_type].entity === entity)
    const starts = Array.from({ length: Math.ceil(events.length / BLOCK_EVENTS) }, (_, i) => i)
    return starts.map(i => blockOf(lane, events.slice(i * BLOCK_EVENTS, (i + 1) * BLOCK_EVENTS)))
  })
}

function blockOf(lane: number, events: readonly FeedEvent[]): MadeBlock {
  const texts = events.map(event => Buffer.from(JSON.stringify(event)))
  const head = Buffer.alloc(HEAD_BYTES + events.length * ENTRY_BYTES)
  const masks = new Map<EventType, Buffer>()
  head.writeUInt8(events.length, 0)
  let end = 0
  events.forEach(({ event_id, event_type }, index) => {
    const at = HEAD_BYTES + index * ENTRY_BYTES
    end += texts[index]!.length + (index === 0 ? 0 : 1)
    bytesOfId(event_id).copy(head, at)
    head.writeUInt8(typeByte(event_type), at + 16)
    head.writeUInt32BE(end, at + 17)
    const mask = masks.get(event_type) ?? Buffer.alloc(4)
    mask.writeUInt32BE(mask.readUInt32BE() + 2 ** index)
    masks.set(event_type, mask)
  })
  const joined = texts.flatMap((text, index) => (index === 0 ? [text] : [Buffer.from(','), text]))
  const key = Buffer.concat([Buffer.from([lane]), bytesOfId(events[0]!.event_id)])
  return { key, value: Buffer.concat([head, ...joined]), masks }
}

/** A block as it is read. It looks into the bytes it was given and is valid as long as they are. */
export class EventBlock {
  readonly count: number
  readonly #bytes: Buffer
  readonly #texts: number

  constructor(value: Uint8Array) {
    this.#bytes =
      Buffer.isBuffer(value) && value.length === value.byteLength
        ? value
        : Buffer.from(value.buffer, value.byteOffset, value.length)
    this.count = this.#bytes[0]!
    this.#texts = HEAD_BYTES + this.count * ENTRY_BYTES
  }

  keyAt(index: number): EventKey {
    const at = HEAD_BYTES + index * ENTRY_BYTES
    return this.#bytes.toString('latin1', at, at + 16)
  }

  /** The first event at or after a key; `count` when all come before it. */
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

  /** Bytes of the text from an event to before another, commas between included. */
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
    return this.#bytes.readUInt32BE(HEAD_BYTES + index * ENTRY_BYTES + 17)
  }
}
