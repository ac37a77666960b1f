import { type EventType, eventTypeNames, type FeedEvent } from '../../model/event.ts'
import { eventByTypeKey } from '../projection.ts'
import type { ServingStore } from '../serving.ts'

/** Where in the log to begin: at this id, or after it when it is read already. */
export interface Position {
  key: Buffer
  isRead: boolean
}

interface Stored {
  key: Buffer
  /** Valid until the next read of this process. */
  value: Uint8Array
}

const HIGHEST = Buffer.alloc(16, 0xff)

/** Events of the types from a position on, in the order of ids, read one by one as asked for. */
export function eventsFrom(
  store: ServingStore,
  types: readonly EventType[],
  from: Position,
): Iterable<Stored> {
  if (types.length === eventTypeNames.length) {
    return store.range('event', { start: from.key, exclusiveStart: from.isRead })
  }
  return withValues(
    store,
    types.length === 1 ? idsOf(store, types[0]!, from) : merged(store, types, from),
  )
}

function* withValues(store: ServingStore, ids: Iterable<Buffer>): Iterable<Stored> {
  for (const key of ids) {
    const value = store.peek('event', key)
    if (value !== undefined) yield { key, value }
  }
}

function* idsOf(store: ServingStore, type: EventType, from: Position): Iterable<Buffer> {
  const range = {
    start: eventByTypeKey(type, from.key),
    exclusiveStart: from.isRead,
    end: eventByTypeKey(type, HIGHEST),
  }
  for (const key of store.keyRange('event_by_type', range)) yield key.subarray(1)
}

/** Of the next ids of each type always the least: types are few, so looking at all is cheapest. */
function* merged(
  store: ServingStore,
  types: readonly EventType[],
  from: Position,
): Iterable<Buffer> {
  const lanes = types.map(type => idsOf(store, type, from)[Symbol.iterator]())
  try {
    const next = lanes.map(lane => lane.next().value as Buffer | undefined)
    for (;;) {
      let least = -1
      for (let i = 0; i < next.length; i++) {
        const id = next[i]
        if (id !== undefined && (least === -1 || id.compare(next[least]!) < 0)) least = i
      }
      if (least === -1) return
      yield next[least]!
      next[least] = lanes[least]!.next().value
    }
  } finally {
    for (const lane of lanes) lane.return?.()
  }
}

/** The newest event of the types that is not older than `oldest`. */
export function newestEvent(
  store: ServingStore,
  types: readonly EventType[],
  oldest: Buffer,
): FeedEvent | undefined {
  const id =
    types.length === eventTypeNames.length
      ? store.lastKey('event', { from: HIGHEST, downTo: oldest })
      : newestOf(store, types, oldest)
  const value = id && store.get('event', id)
  return value && (JSON.parse(Buffer.from(value).toString()) as FeedEvent)
}

function newestOf(
  store: ServingStore,
  types: readonly EventType[],
  oldest: Buffer,
): Buffer | undefined {
  let newest: Buffer | undefined
  for (const type of types) {
    const from = eventByTypeKey(type, HIGHEST)
    const id = store
      .lastKey('event_by_type', { from, downTo: eventByTypeKey(type, oldest) })
      ?.subarray(1)
    if (id !== undefined && (newest === undefined || newest.compare(id) < 0)) newest = id
  }
  return newest
}
