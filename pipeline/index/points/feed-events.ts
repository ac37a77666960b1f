import { type EventType, eventTypeNames } from '../../model/event.ts'
import { typeByte } from '../projection.ts'
import type { ServingStore } from '../serving.ts'
import type { LogEnds } from './feed-ends.ts'

/** An id of 16 bytes, a character a byte: its order as text is the order of the log. */
export type EventKey = string

/** Where in the log to begin: at this id, or after it when it is read already. */
export interface Position {
  key: EventKey
  isRead: boolean
}

interface StoredEvent {
  key: EventKey
  /** Valid until the next read of this process. */
  value: Uint8Array
}

const HIGHEST = '\xff'.repeat(16)

/** Events of the types from a position on, in the order of ids, read one by one as asked for. */
export function eventsFrom(
  ends: LogEnds,
  types: readonly EventType[],
  from: Position,
): Iterable<StoredEvent> {
  if (types.length === eventTypeNames.length) {
    return ends.store.events({ start: from.key, exclusiveStart: from.isRead })
  }
  // Opening a range costs as much as reading many of its entries: not where nothing is left.
  const alive = types.filter(type => (ends.newestOf(type) ?? '') >= from.key)
  return eventsOf(ends.store, alive, from)
}

/** Of the next events of each type always the least: types are few, so all are looked at. */
function* eventsOf(
  store: ServingStore,
  types: readonly EventType[],
  from: Position,
): Iterable<StoredEvent> {
  const lanes = types.map(type => keysOf(store, type, from)[Symbol.iterator]())
  try {
    const heads = lanes.map(nextOf)
    for (;;) {
      const lane = leastOf(heads)
      if (lane === -1) return
      const key = heads[lane]!
      heads[lane] = nextOf(lanes[lane]!)
      const value = store.event(key)
      if (value !== undefined) yield { key, value }
    }
  } finally {
    for (const lane of lanes) lane.return?.()
  }
}

function keysOf(store: ServingStore, type: EventType, from: Position): Iterable<string> {
  const prefix = String.fromCharCode(typeByte(type))
  const start = prefix + from.key
  return store.eventKeys({ start, exclusiveStart: from.isRead, end: prefix + HIGHEST })
}

function nextOf(lane: Iterator<string>): EventKey | undefined {
  return (lane.next().value as string | undefined)?.slice(1)
}

function leastOf(heads: readonly (EventKey | undefined)[]): number {
  let least = -1
  let key: EventKey | undefined
  for (let i = 0; i < heads.length; i++) {
    const head = heads[i]
    if (head === undefined || (key !== undefined && head > key)) continue
    key = head
    least = i
  }
  return least
}
