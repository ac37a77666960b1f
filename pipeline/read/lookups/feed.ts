import { DAY, HOUR, type Instant, toIso } from '../../core/clock.ts'
import {
  buildLeastId,
  isLeastId,
  NIL_UUID,
  parseIdBytes,
  toIdBytes,
  toInstant,
} from '../../core/uuid-v7.ts'
import { type EventType, eventTypeNames } from '../../model/event.ts'
import type { EventKey } from '../../serving/event-block.ts'
import type { Reader } from '../reader.ts'
import { type LentBytes, writer } from './buffer-builder.ts'
import { type LogEnds, readEnds } from './feed-ends.ts'
import { blockAround, Lane, toTrack, wholeLog } from './feed-lanes.ts'

export interface FeedAsked {
  /** The event or place to go on after; the nil UUID stands for the beginning. */
  cursor: string
  types: readonly EventType[]
  limit: number
  maxBytes: number
  retentionDays: number
}

const EVENTS = '{"events":['

/** A commit is stamped before its events can be read, by less than this. */
const SETTLED_MS = HOUR

/** A page as JSON, ready to be sent. */
export interface FeedPage extends LentBytes {
  /** End of the log now, whatever the type: see `cursorAt`. */
  head: string
  /** Cursor of the next page. */
  cursor: string
  hasMore: boolean
  isEmpty: boolean
  freshness: FeedFreshness
}

export interface FeedFreshness {
  generated_at: string
  latest_event_created_at: string | null
  lag_seconds: number | null
  retention_days: number
}

/**
 * A page of the change feed in the order of ids. Its cursor is the last event of the page, or the
 * head of the log where no further event matches: what was passed over counts as read, so a reader
 * of a quiet type does not expire. Undefined when the cursor is older than the feed keeps events, or
 * was never issued.
 */
export function readPageAfter(reader: Reader, asked: FeedAsked): FeedPage | undefined {
  const ends = reader.serving && readEnds(reader.serving)
  const oldest = toOldestKey(reader.now() - asked.retentionDays * DAY)
  const lanes = openLanesAfter(ends, asked, oldest)
  if (lanes === undefined) return undefined
  writer.start()
  writer.ascii(EVENTS)
  const last = writeEvents(lanes, asked)
  const isEmpty = writer.length === EVENTS.length
  const head = buildHeadCursor(ends, reader.now(), asked.retentionDays)
  const latest = checkRetained(ends?.newestOfAll(asked.types), oldest)
  const cursor = last === undefined ? head : toId(last)
  const hasMore = last !== undefined
  const freshness = buildFreshness(reader.now(), latest && ends?.createdAt(latest), asked)
  const rest = JSON.stringify({ cursor, has_more: hasMore, freshness })
  writer.ascii(`],${rest.slice(1)}`)
  const { body, release } = writer.lend()
  return { body, release, head, cursor, hasMore, isEmpty, freshness }
}

function buildHeadCursor(ends: LogEnds | undefined, now: Instant, retentionDays: number): string {
  const head = ends?.head === undefined ? null : toId(ends.head)
  return formatCursor(head, { seenAt: now, now, retentionDays })
}

/** Builds the cursor from which a reader of the snapshot misses no event. */
export function buildSnapshotCursor(
  { lastEventId, committedAt }: { lastEventId: string | null; committedAt: string | null },
  reader: Reader,
  retentionDays: number,
): string {
  const now = reader.now()
  const head = reader.serving && readEnds(reader.serving).head
  const isHead = head !== undefined && toId(head) === lastEventId
  const seenAt = isHead || committedAt === null ? now : Date.parse(committedAt)
  return formatCursor(lastEventId, { seenAt, now, retentionDays })
}

/**
 * The cursor of who has seen all events up to `last`, at `seenAt`: that event, or once the feed keeps
 * it no more a place behind it at which nothing happened. Either expires, so that whoever stays away
 * for longer than events are kept is told to begin again. The nil UUID where there was no event yet.
 */
function formatCursor(
  last: string | null,
  { seenAt, now, retentionDays }: { seenAt: Instant; now: Instant; retentionDays: number },
): string {
  if (last === null) return NIL_UUID
  return toInstant(last) < now - retentionDays * DAY ? buildLeastId(seenAt - SETTLED_MS) : last
}

function checkRetained(id: EventKey | undefined, oldest: EventKey): EventKey | undefined {
  return id !== undefined && id >= oldest ? id : undefined
}

function toId(id: EventKey): string {
  return parseIdBytes(Buffer.from(id, 'latin1'))
}

/**
 * The lanes of a page, each standing at its first event; undefined when the cursor is no place and no
 * event that the feed keeps. Mostly it is one of these lanes' own, else it is looked up in the log, and since
 * that read takes the blocks away from under the lanes they are opened again.
 */
function openLanesAfter(
  ends: LogEnds | undefined,
  { cursor, types }: FeedAsked,
  oldest: EventKey,
): Lane[] | undefined {
  if (cursor === NIL_UUID) return ends ? openLanes(ends, oldest, types) : []
  const key = toIdBytes(cursor).toString('latin1')
  if (ends === undefined || key < oldest) return undefined
  const lanes = openLanes(ends, key, types)
  const own = lanes.find(lane => lane.key === key)
  own?.skip()
  if (own !== undefined || isLeastId(cursor)) return lanes
  for (const lane of lanes) lane.close()
  return blockAround(ends.store, wholeLog, key)?.has(key) ? openLanes(ends, key, types) : undefined
}

/** The log, or a lane for each type that still has events to give. */
function openLanes(ends: LogEnds, key: EventKey, types: readonly EventType[]): Lane[] {
  const isAll = types.length === eventTypeNames.length
  const tracks = isAll
    ? [wholeLog]
    : types.filter(type => (ends.newestOf(type) ?? '') >= key).map(toTrack)
  const isAlone = tracks.length === 1
  return tracks.map(
    (track, number) => new Lane(ends.store, track, key, isAlone ? undefined : number),
  )
}

/** Writes events until the page is full and returns the last one's id; undefined at the log's end. */
function writeEvents(lanes: readonly Lane[], asked: FeedAsked): EventKey | undefined {
  let written = 0
  let last: EventKey | undefined
  try {
    for (let next = pickNext(lanes); next !== undefined; next = pickNext(lanes)) {
      const { lane, before } = next
      const events =
        lane.take(before, asked.limit - written, asked.maxBytes - writer.length) ||
        (written === 0 ? lane.takeOne() : 0)
      if (events === 0) return last
      if (written > 0) writer.ascii(',')
      writer.bytes(lane.text)
      last = lane.lastKey
      written += events
      lane.advance()
    }
  } finally {
    for (const lane of lanes) lane.close()
  }
  return undefined
}

/** The lane whose event is next, and the key at which another's turn comes. */
function pickNext(
  lanes: readonly Lane[],
): { lane: Lane; before: EventKey | undefined } | undefined {
  let lane: Lane | undefined
  let before: EventKey | undefined
  for (const one of lanes) {
    if (one.key === undefined) continue
    if (lane?.key === undefined || one.key < lane.key) {
      before = lane?.key
      lane = one
    } else if (before === undefined || one.key < before) before = one.key
  }
  return lane && { lane, before }
}

function buildFreshness(now: number, latest: string | undefined, asked: FeedAsked): FeedFreshness {
  return {
    generated_at: toIso(now),
    latest_event_created_at: latest ?? null,
    lag_seconds:
      latest === undefined ? null : Math.max(0, Math.floor((now - Date.parse(latest)) / 1000)),
    retention_days: asked.retentionDays,
  }
}

/** The least id that an event of this moment can have. */
function toOldestKey(instant: number): EventKey {
  const key = Buffer.alloc(16)
  key.writeUIntBE(Math.max(0, Math.floor(instant)), 0, 6)
  return key.toString('latin1')
}
