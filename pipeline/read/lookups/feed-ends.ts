import { type EventType, eventTypeNames, type FeedEvent } from '../../model/event.ts'
import { type EventKey, toEventId } from '../../serving/event-block.ts'
import type { ServingStore } from '../../serving/lmdb.ts'
import { declareCache } from '../cache/caches.ts'
import { LatestValue } from '../cache/latest-value.ts'
import type { Reader } from '../reader.ts'
import { findBlockFrom, findNewest, toTrack, wholeLog } from './track-iterator.ts'

/** Caches the newest events of a log, looked up once a commit: nothing else changes them. */
class LogEnds {
  readonly store: ServingStore
  readonly head: EventKey | undefined
  /** The id of the newest event, which every page names. */
  readonly headId: string | undefined
  readonly #newest = new Map<EventType, EventKey | undefined>()
  readonly #createdAt = new Map<EventKey, string>()

  constructor(store: ServingStore) {
    this.store = store
    this.head = findNewest(store, wholeLog)
    this.headId = this.head && toEventId(this.head)
  }

  findNewest(type: EventType): EventKey | undefined {
    if (!this.#newest.has(type)) this.#newest.set(type, findNewest(this.store, toTrack(type)))
    return this.#newest.get(type)
  }

  newestOfAll(types: readonly EventType[]): EventKey | undefined {
    if (types.length === eventTypeNames.length) return this.head
    let newest: EventKey | undefined
    for (const type of types) {
      const id = this.findNewest(type)
      if (id !== undefined && (newest === undefined || id > newest)) newest = id
    }
    return newest
  }

  createdAt(key: EventKey): string | undefined {
    const known = this.#createdAt.get(key)
    if (known !== undefined) return known
    const block = findBlockFrom(this.store, wholeLog, key)
    if (block === undefined) return undefined
    const index = block.indexFrom(key)
    const text = Buffer.from(block.text(index, index + 1)).toString()
    const { created_at } = JSON.parse(text) as FeedEvent
    this.#createdAt.set(key, created_at)
    return created_at
  }
}

const latest = declareCache(() => new LatestValue<LogEnds>())

export type { LogEnds }

export function readEnds(reader: Pick<Reader, 'serving' | 'caches'>): LogEnds | undefined {
  const { serving } = reader
  if (serving === undefined) return undefined
  return latest(reader).get([serving, serving.seq], () => new LogEnds(serving))
}
