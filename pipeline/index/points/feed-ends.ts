import { type EventType, eventTypeNames, type FeedEvent } from '../../model/event.ts'
import { EventBlock, type EventKey, entityByte, typeByte } from '../event-block.ts'
import type { ServingStore } from '../serving.ts'
import { blockOf } from './feed-lanes.ts'

const HIGHEST = Buffer.alloc(16, 0xff)
const LOWEST = Buffer.alloc(16)

/** The newest events of a log, looked up once a commit: nothing else changes them. */
class LogEnds {
  readonly store: ServingStore
  readonly seq: number
  readonly head: EventKey | undefined
  readonly #newest = new Map<EventType, EventKey | undefined>()
  readonly #createdAt = new Map<EventKey, string>()

  constructor(store: ServingStore, seq: number) {
    this.store = store
    this.seq = seq
    this.head = this.newestOfAll(eventTypeNames)
  }

  newestOf(type: EventType): EventKey | undefined {
    if (!this.#newest.has(type)) this.#newest.set(type, this.#findNewest(type))
    return this.#newest.get(type)
  }

  newestOfAll(types: readonly EventType[]): EventKey | undefined {
    let newest: EventKey | undefined
    for (const type of types) {
      const id = this.newestOf(type)
      if (id !== undefined && (newest === undefined || id > newest)) newest = id
    }
    return newest
  }

  createdAt(key: EventKey): string | undefined {
    const known = this.#createdAt.get(key)
    if (known !== undefined) return known
    const block = blockOf(this.store, key)
    if (block === undefined) return undefined
    const index = block.indexFrom(key)
    const text = Buffer.from(block.text(index, index + 1)).toString()
    const { created_at } = JSON.parse(text) as FeedEvent
    this.#createdAt.set(key, created_at)
    return created_at
  }

  #findNewest(type: EventType): EventKey | undefined {
    const byte = Buffer.from([typeByte(type)])
    const from = Buffer.concat([byte, HIGHEST])
    const key = this.store.lastKey('event_by_type', { from, downTo: Buffer.concat([byte, LOWEST]) })
    const mask = key && this.store.get('event_by_type', key)
    const lane = Buffer.from([entityByte(type)])
    const value = key && this.store.get('event', Buffer.concat([lane, key.subarray(1)]))
    if (!mask || !value) return undefined
    return new EventBlock(value).keyAt(31 - Math.clz32(mask.readUInt32BE()))
  }
}

let ends: LogEnds | undefined

export type { LogEnds }

export function endsOf(store: ServingStore): LogEnds {
  const { seq } = store
  if (ends?.store !== store || ends.seq !== seq) ends = new LogEnds(store, seq)
  return ends
}
