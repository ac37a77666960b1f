import { type EventType, eventTypeNames, type FeedEvent } from '../../model/event.ts'
import { eventByTypeKey } from '../projection.ts'
import type { ServingStore } from '../serving.ts'
import type { EventKey } from './feed-events.ts'

const LOWEST = Buffer.alloc(16)
const HIGHEST = Buffer.alloc(16, 0xff)

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
    const key = store.lastKey('event')
    this.head = key && Buffer.from(key).toString('latin1')
  }

  newestOf(type: EventType): EventKey | undefined {
    if (this.#newest.has(type)) return this.#newest.get(type)
    const range = { from: eventByTypeKey(type, HIGHEST), downTo: eventByTypeKey(type, LOWEST) }
    const key = this.store.lastKey('event_by_type', range)
    const id = key && Buffer.from(key).toString('latin1', 1)
    this.#newest.set(type, id)
    return id
  }

  newestOfAll(types: readonly EventType[]): EventKey | undefined {
    if (types.length === eventTypeNames.length) return this.head
    let newest: EventKey | undefined
    for (const type of types) {
      const id = this.newestOf(type)
      if (id !== undefined && (newest === undefined || id > newest)) newest = id
    }
    return newest
  }

  createdAt(id: EventKey): string | undefined {
    const known = this.#createdAt.get(id)
    if (known !== undefined) return known
    const value = this.store.get('event', Buffer.from(id, 'latin1'))
    if (value === undefined) return undefined
    const { created_at } = JSON.parse(Buffer.from(value).toString()) as FeedEvent
    this.#createdAt.set(id, created_at)
    return created_at
  }
}

let ends: LogEnds | undefined

export type { LogEnds }

export function endsOf(store: ServingStore): LogEnds {
  const { seq } = store
  if (ends?.store !== store || ends.seq !== seq) ends = new LogEnds(store, seq)
  return ends
}
