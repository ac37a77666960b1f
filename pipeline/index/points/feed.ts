import { DAY, isoOf } from '../../core/clock.ts'
import { bytesOfId, idOfBytes, NIL_UUID } from '../../core/uuid-v7.ts'
import { type EventType, eventTypeNames } from '../../model/event.ts'
import type { Reader } from '../reader.ts'
import type { ServingStore } from '../serving.ts'
import { type EventKey, eventsFrom, newestEvent, type Position } from './feed-events.ts'
import { writer } from './writer.ts'

export interface FeedAsked {
  /** The event to go on after; the nil UUID stands for the beginning. */
  cursor: string
  types: readonly EventType[]
  limit: number
  maxBytes: number
  retentionDays: number
}

export interface FeedPage {
  /** The page as JSON, ready to be sent. */
  body: Buffer
  /** The newest event of the log, of whatever type; the nil UUID where there is none. */
  head: string
}

/**
 * A page of the change feed in the order of ids. Its cursor is the last event of the page, or the
 * head of the log where no further event matches: what was passed over counts as read, so a reader
 * of a quiet type does not expire. Undefined when the cursor is older than the feed keeps events, or
 * was never issued.
 */
export function pageAfter(reader: Reader, asked: FeedAsked): FeedPage | undefined {
  const store = reader.serving
  const oldest = oldestKey(reader.now() - asked.retentionDays * DAY)
  const from = startOf(store, asked.cursor, oldest)
  if (from === undefined) return undefined
  const newest = store && newestEvent(store, eventTypeNames, oldest)
  const latest =
    asked.types.length === eventTypeNames.length
      ? newest
      : store && newestEvent(store, asked.types, oldest)
  const head = newest ? newest.event_id : NIL_UUID
  writer.start()
  writer.ascii('{"events":[')
  const last = store && writeEvents(store, from, asked)
  writer.ascii('],')
  writer.ascii(
    JSON.stringify({
      cursor: last === undefined ? head : idOfBytes(Buffer.from(last, 'latin1')),
      has_more: last !== undefined,
      freshness: freshnessOfFeed(reader.now(), latest?.created_at, asked.retentionDays),
    }).slice(1),
  )
  return { body: writer.finish(), head }
}

/** The newest event that anybody may be given; what bootstraps and pages name as their moment. */
export function feedHead(reader: Reader, retentionDays: number): string {
  const oldest = oldestKey(reader.now() - retentionDays * DAY)
  const newest = reader.serving && newestEvent(reader.serving, eventTypeNames, oldest)
  return newest?.event_id ?? NIL_UUID
}

function startOf(
  store: ServingStore | undefined,
  cursor: string,
  oldest: Buffer,
): Position | undefined {
  if (cursor === NIL_UUID) return { key: oldest.toString('latin1'), isRead: false }
  const key = bytesOfId(cursor)
  const isKept = key.compare(oldest) >= 0 && store?.has('event', key)
  return isKept ? { key: key.toString('latin1'), isRead: true } : undefined
}

/** Writes events until the page is full and returns the last one's id; undefined at the log's end. */
function writeEvents(store: ServingStore, from: Position, asked: FeedAsked): EventKey | undefined {
  let last: EventKey | undefined
  let written = 0
  for (const { key, value } of eventsFrom(store, asked.types, from)) {
    const isFull = written === asked.limit || writer.length + value.length > asked.maxBytes
    if (isFull && last !== undefined) return last
    if (written > 0) writer.ascii(',')
    writer.bytes(new Uint8Array(value.buffer, value.byteOffset, value.length))
    last = key
    written++
  }
  return undefined
}

function freshnessOfFeed(now: number, latest: string | undefined, retention_days: number) {
  return {
    generated_at: isoOf(now),
    latest_event_created_at: latest ?? null,
    lag_seconds:
      latest === undefined ? null : Math.max(0, Math.floor((now - Date.parse(latest)) / 1000)),
    retention_days,
  }
}

/** The least id that an event of this moment can have. */
function oldestKey(instant: number): Buffer {
  const key = Buffer.alloc(16)
  key.writeUIntBE(Math.max(0, Math.floor(instant)), 0, 6)
  return key
}
