import { DAY } from '../../core/clock.ts'
import { buildLeastId, toIdBytes } from '../../core/uuid-v7.ts'
import { type EventType, eventTypeNames, type FeedEvent } from '../../model/event.ts'
import type { EventKey } from '../../serving/event-block.ts'
import type { ServingStore } from '../../serving/lmdb.ts'
import type { Reader } from '../reader.ts'
import { iterateBlocksBefore, KEY_MAX, type Track, toTrack, wholeLog } from './track-iterator.ts'

interface NewestQuery {
  types: readonly EventType[]
  limit: number
  /** Only events before this one. */
  before?: string | undefined
  retentionDays: number
}

/** Lists the newest events of the feed, the newest first. */
export function listNewestEvents(reader: Reader, asked: NewestQuery): FeedEvent[] {
  const { serving } = reader
  if (serving === undefined) return []
  const { types, limit, before, retentionDays } = asked
  const oldest = toKey(buildLeastId(reader.now() - retentionDays * DAY))
  const range = { before: before === undefined ? KEY_MAX : toKey(before), oldest, limit }
  const tracks = types.length === eventTypeNames.length ? [wholeLog] : types.map(toTrack)
  return tracks
    .flatMap(track => readNewest(serving, track, range))
    .sort((a, b) => (a.event_id < b.event_id ? 1 : -1))
    .slice(0, limit)
}

interface KeyRange {
  before: EventKey
  oldest: EventKey
  limit: number
}

function readNewest(
  store: ServingStore,
  track: Track,
  { before, oldest, limit }: KeyRange,
): FeedEvent[] {
  const found: FeedEvent[] = []
  for (const block of iterateBlocksBefore(store, track, before)) {
    const end = block.indexFrom(before)
    const start = Math.max(end - (limit - found.length), block.indexFrom(oldest))
    if (end > start) found.push(...parseEvents(block.text(start, end)).reverse())
    if (found.length >= limit || start > 0) break
  }
  return found
}

function parseEvents(text: Uint8Array): FeedEvent[] {
  return JSON.parse(`[${Buffer.from(text).toString()}]`)
}

function toKey(id: string): EventKey {
  return toIdBytes(id).toString('latin1')
}
