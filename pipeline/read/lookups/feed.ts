import { DAY, HOUR, type Instant, toIso } from '../../core/clock.ts'
import { buildLeastId, isLeastId, NIL_UUID, toIdBytes, toInstant } from '../../core/uuid-v7.ts'
import { type EventType, eventTypeNames } from '../../model/event.ts'
import { type EventKey, toEventId } from '../../serving/event-block.ts'
import type { Reader } from '../reader.ts'
import { type LentBytes, writer } from './buffer-builder.ts'
import { type LogEnds, readEnds } from './feed-ends.ts'
import { buildFeedFilter, type FeedFilter, type FeedSubject } from './feed-filter.ts'
import {
  findBlockFrom,
  findEventBefore,
  TrackIterator,
  toTrack,
  wholeLog,
} from './track-iterator.ts'

export interface FeedQuery extends FeedSubject {
  /** Event or position after which to continue; the nil UUID is the beginning. */
  cursor: string
  types: readonly EventType[]
  limit: number
  maxBytes: number
  retentionDays: number
}

/** The parts of a reader that the feed is read from. */
export type FeedSource = Pick<Reader, 'serving' | 'now' | 'caches'>

const EVENTS = '{"events":['

/** Events that a page with a filter looks at: it may have fewer than asked for, or none, and more may follow. */
const FILTERED_EVENTS_MAX = 20_000

/** Maximum time between the stamp of a commit and when its events can be read. */
const SETTLED_MS = HOUR

/** A page as JSON, ready to be sent. */
export interface FeedPage extends LentBytes {
  /** Current end of the log, whatever the type: see `formatCursor`. */
  head: string
  /** Cursor of the next page. */
  cursor: string
  hasMore: boolean
  /** True if there is nothing more yet; a page of a filter may have no events and yet more after it. */
  isEmpty: boolean
  /** Number of its events, and the position of their list in the body. */
  count: number
  list: { start: number; end: number }
  freshness: FeedFreshness
}

export interface FeedFreshness {
  generated_at: string
  latest_event_created_at: string | null
  lag_seconds: number | null
  retention_days: number
}

/**
 * Reads a page of the change feed in the order of ids. Its cursor is the last event of the page, or the
 * head of the log if no further event matches: what was skipped counts as read, so a reader of a quiet type
 * does not expire. Undefined when the cursor is older than the feed keeps events, or was never issued.
 */
export function readPageAfter(reader: FeedSource, asked: FeedQuery): FeedPage | undefined {
  const ends = readEnds(reader)
  const now = reader.now()
  const oldest = toOldestKey(now - asked.retentionDays * DAY)
  const iterators = openIteratorsAfter(ends, asked, { oldest, now })
  if (iterators === undefined) return undefined
  writer.start()
  writer.ascii(EVENTS)
  const filter = buildFeedFilter(asked)
  const { count, last } = filter
    ? writeMatching(iterators, asked, filter)
    : writeEvents(iterators, asked)
  const list = { start: EVENTS.length - 1, end: writer.length + 1 }
  const head = buildHeadCursor(ends, now, asked.retentionDays)
  const latest = checkRetained(ends?.newestOfAll(asked.types), oldest)
  const cursor = last === undefined ? head : toEventId(last)
  const hasMore = last !== undefined
  const freshness = buildFreshness(now, latest && ends?.createdAt(latest), asked)
  const rest = JSON.stringify({ cursor, has_more: hasMore, freshness })
  writer.ascii(`],${rest.slice(1)}`)
  const { body, release } = writer.lend()
  const isEmpty = count === 0 && !hasMore
  return { body, release, head, cursor, hasMore, isEmpty, count, list, freshness }
}

/**
 * Finds the cursor from which a reader gets the events since a moment; undefined if the feed no longer keeps all of
 * them.
 */
export function findCursorAt(
  reader: FeedSource,
  since: Instant,
  retentionDays: number,
): string | undefined {
  const begin = reader.now() - retentionDays * DAY
  if (since < begin) return undefined
  const ends = readEnds(reader)
  const before = ends && findEventBefore(ends.store, wholeLog, toOldestKey(since))
  return before === undefined || before < toOldestKey(begin) ? NIL_UUID : toEventId(before)
}

function buildHeadCursor(ends: LogEnds | undefined, now: Instant, retentionDays: number): string {
  return formatCursor(ends?.headId ?? null, { asOf: now, now, retentionDays })
}

/** Builds the cursor from which a reader of the snapshot misses no event. */
export function buildSnapshotCursor(
  { lastEventId, committedAt }: { lastEventId: string | null; committedAt: string | null },
  reader: Reader,
  retentionDays: number,
): string {
  const now = reader.now()
  const isHead = lastEventId !== null && readEnds(reader)?.headId === lastEventId
  const asOf = isHead || committedAt === null ? now : Date.parse(committedAt)
  return formatCursor(lastEventId, { asOf, now, retentionDays })
}

/**
 * Formats the cursor of a reader that has all events up to `last`, as of `asOf`: that event, or once it is
 * past its retention a later id at which nothing happened. Either expires, so that a reader that stays away
 * for longer than events are kept must begin again. The nil UUID if there is no event.
 */
function formatCursor(
  last: string | null,
  { asOf, now, retentionDays }: { asOf: Instant; now: Instant; retentionDays: number },
): string {
  if (last === null) return NIL_UUID
  return toInstant(last) < now - retentionDays * DAY ? buildLeastId(asOf - SETTLED_MS) : last
}

function checkRetained(id: EventKey | undefined, oldest: EventKey): EventKey | undefined {
  return id !== undefined && id >= oldest ? id : undefined
}

/**
 * Opens the iterators of a page, each at its first event; undefined when the cursor is neither a position
 * nor an event that the feed keeps. Usually it is the current event of one of them; else it is looked up in
 * the log, and since that read invalidates their blocks they are opened again.
 */
function openIteratorsAfter(
  ends: LogEnds | undefined,
  { cursor, types }: FeedQuery,
  { oldest, now }: { oldest: EventKey; now: Instant },
): TrackIterator[] | undefined {
  if (cursor === NIL_UUID) return ends ? openIterators(ends, oldest, types) : []
  const key = toIdBytes(cursor).toString('latin1')
  if (ends === undefined || key < oldest) return undefined
  if (isLeastId(cursor) && !isIssuedPosition(ends, key, { oldest, now })) return undefined
  const iterators = openIterators(ends, key, types)
  const own = iterators.find(iterator => iterator.key === key)
  own?.skip()
  if (own !== undefined || isLeastId(cursor)) return iterators
  for (const iterator of iterators) iterator.close()
  return findBlockFrom(ends.store, wholeLog, key)?.has(key)
    ? openIterators(ends, key, types)
    : undefined
}

/**
 * Tells whether a cursor that is no event may have been issued: it is not in the future, and no event before it is kept,
 * since it takes the place of one that is past its retention (`formatCursor`).
 */
function isIssuedPosition(
  { store }: LogEnds,
  key: EventKey,
  { oldest, now }: { oldest: EventKey; now: Instant },
): boolean {
  if (key >= toOldestKey(now + 1)) return false
  return (findEventBefore(store, wholeLog, key) ?? '') < oldest
}

/** Opens one iterator over the log, or one for each type that has events from `key` on. */
function openIterators(ends: LogEnds, key: EventKey, types: readonly EventType[]): TrackIterator[] {
  const isAll = types.length === eventTypeNames.length
  const tracks = isAll
    ? [wholeLog]
    : types.filter(type => (ends.findNewest(type) ?? '') >= key).map(toTrack)
  const isAlone = tracks.length === 1
  return tracks.map(
    (track, number) => new TrackIterator(ends.store, track, key, isAlone ? undefined : number),
  )
}

/**
 * Writes events until the page is full; returns their number and the last one's id, undefined at the log's
 * end.
 */
function writeEvents(
  iterators: readonly TrackIterator[],
  asked: FeedQuery,
): { count: number; last: EventKey | undefined } {
  let written = 0
  let last: EventKey | undefined
  try {
    for (let next = pickNext(iterators); next !== undefined; next = pickNext(iterators)) {
      const { iterator, before } = next
      const events =
        iterator.select(before, asked.limit - written, asked.maxBytes - writer.length) ||
        (written === 0 ? iterator.selectCurrent() : 0)
      if (events === 0) return { count: written, last }
      if (written > 0) writer.ascii(',')
      writer.bytes(iterator.text)
      last = iterator.lastKey
      written += events
      iterator.advance()
    }
  } finally {
    for (const iterator of iterators) iterator.close()
  }
  return { count: written, last: undefined }
}

/** Writes the events that match a filter, as `writeEvents`; also ends after as many events as it may look at. */
function writeMatching(
  iterators: readonly TrackIterator[],
  asked: FeedQuery,
  filter: FeedFilter,
): { count: number; last: EventKey | undefined } {
  let written = 0
  let last: EventKey | undefined
  let left = FILTERED_EVENTS_MAX
  try {
    for (let next = pickNext(iterators); next !== undefined; next = pickNext(iterators)) {
      if (left <= 0) return { count: written, last }
      const { iterator, before } = next
      const run = iterator.select(before, left, Number.POSITIVE_INFINITY)
      left -= run
      // A run in which nothing matches is passed over as one.
      const mayMatch = filter.mayMatch(iterator.text)
      for (let step = 0; step < (mayMatch ? run : 1); step++) {
        if (mayMatch) iterator.selectCurrent()
        const { text } = iterator
        if (filter.matches(text)) {
          const isFull = written === asked.limit || writer.length + text.length > asked.maxBytes
          if (written > 0 && isFull) return { count: written, last }
          if (written++ > 0) writer.ascii(',')
          writer.bytes(text)
        }
        last = iterator.lastKey
        iterator.advance()
      }
    }
  } finally {
    for (const iterator of iterators) iterator.close()
  }
  return { count: written, last: undefined }
}

/** Picks the iterator with the next event, and the key from which another one is next. */
function pickNext(
  iterators: readonly TrackIterator[],
): { iterator: TrackIterator; before: EventKey | undefined } | undefined {
  let iterator: TrackIterator | undefined
  let before: EventKey | undefined
  for (const candidate of iterators) {
    if (candidate.key === undefined) continue
    if (iterator?.key === undefined || candidate.key < iterator.key) {
      before = iterator?.key
      iterator = candidate
    } else if (before === undefined || candidate.key < before) before = candidate.key
  }
  return iterator && { iterator, before }
}

function buildFreshness(now: number, latest: string | undefined, asked: FeedQuery): FeedFreshness {
  return {
    generated_at: toIso(now),
    latest_event_created_at: latest ?? null,
    lag_seconds:
      latest === undefined ? null : Math.max(0, Math.floor((now - Date.parse(latest)) / 1000)),
    retention_days: asked.retentionDays,
  }
}

/** Converts an instant to the smallest id that one of its events can have. */
function toOldestKey(instant: number): EventKey {
  const key = Buffer.allocUnsafe(16).fill(0)
  key.writeUIntBE(Math.max(0, Math.floor(instant)), 0, 6)
  return key.toString('latin1')
}
