import type { EventType } from '../../model/event.ts'
import { EventBlock, type EventKey, toTypeByte } from '../../serving/event-block.ts'
import type { LogName, ServingStore } from '../../serving/lmdb.ts'

const LOWEST = '\0'.repeat(16)
const HIGHEST = '\xff'.repeat(16)

/** A part of the store whose blocks rise: the whole log, or the events of one type. */
export interface Track {
  space: LogName
  prefix: string
}

export const wholeLog: Track = { space: 'event', prefix: '' }

export function toTrack(type: EventType): Track {
  return { space: 'event_by_type', prefix: String.fromCharCode(toTypeByte(type)) }
}

/** The block in which an event of this key stands, or would stand. Valid until the next read. */
export function blockAround(
  store: ServingStore,
  { space, prefix }: Track,
  key: EventKey,
): EventBlock | undefined {
  const range = { start: prefix + key, end: prefix + LOWEST, reverse: true, limit: 1 }
  for (const { value } of store.events(space, range)) return new EventBlock(value)
  return undefined
}

export function findNewest(store: ServingStore, track: Track): EventKey | undefined {
  return blockAround(store, track, HIGHEST)?.lastKey
}

/** Goes along one track, a run of events at a time. */
export class Lane {
  readonly #store: ServingStore
  readonly #track: Track
  /** Number of the lane in a page; undefined when it is the only one. */
  readonly #number: number | undefined
  #later: Iterator<{ value: Uint8Array }> | undefined
  #block: EventBlock | undefined
  #index = 0
  #end = 0
  /** Key of the event it stands at; undefined at the end. */
  key: EventKey | undefined

  constructor(store: ServingStore, track: Track, from: EventKey, number: number | undefined) {
    this.#store = store
    this.#track = track
    this.#number = number
    this.#enter(blockAround(store, track, from))
    if (this.#block === undefined) this.#enter(this.#next(from))
    while (this.#block !== undefined && this.#block.lastKey < from) this.#enter(this.#next(from))
    if (this.#block !== undefined) this.#moveTo(this.#block.indexFrom(from))
  }

  /**
   * Sets out a run: the events from here that come before a key, are at most so many and fit into so
   * many bytes. Returns how many they are.
   */
  take(before: EventKey | undefined, events: number, bytes: number): number {
    const block = this.#block!
    const from = this.#index
    let end = before === undefined ? block.count : block.indexFrom(before)
    end = Math.min(end, from + events)
    while (end > from && block.bytesBetween(from, end) > bytes) end--
    this.#end = end
    return end - from
  }

  /** A run of the event it stands at, however large. */
  takeOne(): number {
    this.#end = this.#index + 1
    return 1
  }

  skip(): void {
    this.takeOne()
    this.advance()
  }

  /** The run as JSON with commas between, valid until this lane goes on. */
  get text(): Uint8Array {
    return this.#block!.text(this.#index, this.#end)
  }

  /** Key of the run's last event. */
  get lastKey(): EventKey {
    return this.#block!.keyAt(this.#end - 1)
  }

  /** Goes on to the event after the run. */
  advance(): void {
    this.#moveTo(this.#end)
  }

  close(): void {
    this.#later?.return?.()
  }

  #moveTo(index: number): void {
    this.#index = index
    if (index < this.#block!.count) this.key = this.#block!.keyAt(index)
    else this.#enter(this.#next(this.#block!.lastKey))
  }

  #enter(block: EventBlock | undefined): void {
    const number = this.#number
    this.#block = number === undefined ? block : block?.copiedTo(placeFor(number, block))
    this.#index = 0
    this.key = this.#block?.keyAt(0)
  }

  /** Most pages end in the block they begin in, so those behind it are opened when one is needed. */
  #next(after: EventKey): EventBlock | undefined {
    const { space, prefix } = this.#track
    this.#later ??= this.#store
      .events(space, { start: prefix + after, exclusiveStart: true, end: prefix + HIGHEST })
      [Symbol.iterator]()
    const { value, done } = this.#later.next()
    return done ? undefined : new EventBlock(value.value)
  }
}

/** Lanes of one page read in turns, so each copies its block to a place of its own. */
const places: Buffer[] = []

function placeFor(lane: number, { bytes }: EventBlock): Buffer {
  const place = places[lane]
  if (place !== undefined && place.length >= bytes) return place
  const larger = Buffer.allocUnsafeSlow(Math.max(2 * bytes, 64 * 1024))
  places[lane] = larger
  return larger
}
