import { z } from 'zod'
import type { Config } from '../../pipeline/core/config.ts'
import { refuse } from '../../pipeline/core/errors.ts'
import { buildPageEnd } from '../../pipeline/core/page-end.ts'
import { NIL_UUID } from '../../pipeline/core/uuid-v7.ts'
import { buildSnapshotCursor } from '../../pipeline/read/lookups/feed.ts'
import type { Reader, Snapshot } from '../../pipeline/read/reader.ts'
import type { Sent } from './reply.ts'

export { buildPageEnd }

const SEARCH_CHARS = 200
const QUERY_CHARS_MIN = 2
const NOT_YET_SECONDS = 5
/** Maximum bytes of a list; callers refuse longer ones. */
export const LIST_BYTES = Math.floor(1.5 * 1024 * 1024)

/** Text that names are searched for. */
export const SearchText = z.string().trim().max(SEARCH_CHARS)

/** A required search text. */
export const RequiredText = SearchText.min(QUERY_CHARS_MIN, {
  error: `must be at least ${QUERY_CHARS_MIN} characters`,
}).meta({ description: 'A name, domain or identifier, or part of one' })

/** Returns the search index; undefined before the first commit. */
export function getSearch(reader: Pick<Reader, 'search' | 'snapshot' | 'isReady'>) {
  const { search } = reader
  if (search !== undefined || getSnapshot(reader) === undefined) return search
  return refuse('unavailable', 'the search index is being built; try again', {
    retry_after: NOT_YET_SECONDS,
  })
}

/** Returns the snapshot; undefined before the first commit, when lists cannot be answered. */
export function getSnapshot({ snapshot, isReady }: Pick<Reader, 'snapshot' | 'isReady'>) {
  if (snapshot !== undefined || !isReady) return snapshot
  return refuse('unavailable', 'the lists are being built; try again', {
    retry_after: NOT_YET_SECONDS,
  })
}

/** Builds the header with the commit that a list shows. */
export function buildSeqHeader(
  snapshot: Pick<Snapshot, 'seq'> | undefined,
): Record<string, string> {
  return { 'x-registry-seq': String(snapshot?.seq ?? 0) }
}

/** Builds the header with the age of a list: the time up to which it contains all commits. */
export function buildAsOfHeader(
  { headers }: Pick<Sent, 'headers'>,
  reader: Pick<Reader, 'findAsOf'>,
): Record<string, string> {
  const seq = headers?.['x-registry-seq']
  const asOf = seq === undefined ? undefined : reader.findAsOf(Number(seq))
  return asOf === undefined ? {} : { 'x-registry-as-of': asOf }
}

/**
 * Builds the headers from which a replica starts: the commit that an answer shows and the event from which
 * to read the feed. All answers of one snapshot have the same cursor; of several pages the first one's
 * counts.
 */
export function buildSyncHeaders(
  snapshot: Snapshot | undefined,
  { reader, config }: { reader: Reader; config: Config },
): Record<string, string> {
  const cursor = snapshot
    ? buildSnapshotCursor(snapshot, reader, config.LIMITS.feedRetentionDays)
    : NIL_UUID
  return { ...buildSeqHeader(snapshot), 'x-sync-cursor': cursor }
}

/** Fits a list to the size of an answer; `<name>_truncated` says whether items are missing. */
export function fitItems<Name extends string, Item>(
  name: Name,
  items: Iterable<Item>,
  maxBytes = LIST_BYTES,
) {
  let bytes = 0
  const fitting: Item[] = []
  for (const item of items) {
    bytes += Buffer.byteLength(JSON.stringify(item)) + 1
    if (bytes > maxBytes) return { [name]: fitting, [`${name}_truncated`]: true }
    fitting.push(item)
  }
  return { [name]: fitting }
}

/** Cuts one page: as many items as were requested and fit, and at least one if there are any. */
export function cutPage<Item>(
  items: readonly Item[],
  limit: number,
  toJson: (item: Item) => string = JSON.stringify,
): { items: readonly Item[]; hasMore: boolean } {
  let bytes = 0
  let count = 0
  for (const item of items.slice(0, limit)) {
    bytes += Buffer.byteLength(toJson(item)) + 1
    if (count > 0 && bytes > LIST_BYTES) break
    count += 1
  }
  return { items: items.slice(0, count), hasMore: count < items.length }
}
