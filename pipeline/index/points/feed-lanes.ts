import { type EventType, eventTypeNames } from '../../model/event.ts'
import { EventBlock, type EventKey, entities, entityByte, typeByte } from '../event-block.ts'
import type { ServingStore } from '../serving.ts'

const HIGHEST = '\xff'.repeat(16)
const ALL = 0xffffffff

/** A block of one lane and which of its events are wanted. */
interface Wanted {
  block: EventBlock
  mask: number
}

/** The key of the block of a lane in which an event of this key stands, or would stand. */
export function blockAround(store: ServingStore, lane: number, key: EventKey): string | undefined {
  const prefix = Buffer.from([lane])
  const found = store.lastKey('event', {
    from: Buffer.concat([prefix, Buffer.from(key, 'latin1')]),
    downTo: prefix,
  })
  return found && Buffer.from(found).toString('latin1')
}

/** The block that holds an event. */
export function blockOf(store: ServingStore, key: EventKey): EventBlock | undefined {
  for (let lane = 0; lane < entities.length; lane++) {
    const around = blockAround(store, lane, key)
    const value = around === undefined ? undefined : store.event(around)
    const block = value && new EventBlock(value)
    if (block?.has(key)) return block
  }
  return undefined
}

/** The wanted events of one kind of entity, one after the other. */
export class Lane {
  readonly #blocks: Iterator<Wanted>
  #wanted: Wanted | undefined
  #index = 0
  /** Key of the event it stands at; undefined at the end. */
  key: EventKey | undefined

  constructor(store: ServingStore, lane: number, types: readonly EventType[], from: EventKey) {
    const start = (blockAround(store, lane, from) ?? String.fromCharCode(lane) + from).slice(1)
    const isWhole = types.length === eventTypeNames.filter(type => entityByte(type) === lane).length
    const blocks = isWhole ? wholeLane(store, lane, start) : blocksWith(store, lane, types, start)
    this.#blocks = blocks[Symbol.iterator]()
    this.#nextBlock()
    while (this.key !== undefined && this.key < from) this.advance()
  }

  get text(): Uint8Array {
    return this.#wanted!.block.text(this.#index, this.#index + 1)
  }

  advance(): void {
    this.#index++
    this.#settle()
  }

  close(): void {
    this.#blocks.return?.()
  }

  #nextBlock(): void {
    const { value, done } = this.#blocks.next()
    this.#wanted = done ? undefined : value
    this.#index = 0
    this.#settle()
  }

  /** Goes on to the next wanted event from where it stands, in this block or a later one. */
  #settle(): void {
    const wanted = this.#wanted
    if (wanted === undefined) {
      this.key = undefined
      return
    }
    const { block, mask } = wanted
    while (this.#index < block.count && ((mask >>> this.#index) & 1) === 0) this.#index++
    if (this.#index === block.count) this.#nextBlock()
    else this.key = block.keyAt(this.#index)
  }
}

/** A page looks into one block of each lane at a time, so each lane copies its block to a place of its own. */
const places = entities.map(() => Buffer.allocUnsafeSlow(64 * 1024))

function copied(value: Uint8Array, lane: number): EventBlock {
  const { length } = value
  if (places[lane]!.length < length) places[lane] = Buffer.allocUnsafeSlow(2 * length)
  const place = places[lane]!
  place.set(new Uint8Array(value.buffer, value.byteOffset, length))
  return new EventBlock(place.subarray(0, length))
}

function* wholeLane(store: ServingStore, lane: number, start: EventKey): Iterable<Wanted> {
  const prefix = String.fromCharCode(lane)
  for (const { value } of store.events({ start: prefix + start, end: prefix + HIGHEST })) {
    yield { block: copied(value, lane), mask: ALL }
  }
}

/** Of the next blocks with each type always the least: types are few, so all are looked at. */
function* blocksWith(
  store: ServingStore,
  lane: number,
  types: readonly EventType[],
  start: EventKey,
): Iterable<Wanted> {
  const masks = types.map(type => new Masks(store, type, start))
  try {
    for (;;) {
      let least: EventKey | undefined
      for (const { key } of masks) {
        if (key !== undefined && (least === undefined || key < least)) least = key
      }
      if (least === undefined) return
      let mask = 0
      for (const one of masks) if (one.key === least) mask |= one.take()
      const value = store.event(String.fromCharCode(lane) + least)
      if (value !== undefined) yield { block: copied(value, lane), mask }
    }
  } finally {
    for (const one of masks) one.close()
  }
}

/** The blocks that have events of one type, and which these are. */
class Masks {
  readonly #entries: Iterator<{ key: string; value: Uint8Array }>
  #mask = 0
  key: EventKey | undefined

  constructor(store: ServingStore, type: EventType, start: EventKey) {
    const prefix = String.fromCharCode(typeByte(type))
    const range = { start: prefix + start, end: prefix + HIGHEST }
    this.#entries = store.eventMasks(range)[Symbol.iterator]()
    this.take()
  }

  /** The mask it stands at; it goes on to the next. */
  take(): number {
    const mask = this.#mask
    const { value: entry, done } = this.#entries.next()
    this.key = done ? undefined : entry.key.slice(1)
    if (!done) this.#mask = Buffer.from(entry.value.buffer, entry.value.byteOffset).readUInt32BE()
    return mask
  }

  close(): void {
    this.#entries.return?.()
  }
}
