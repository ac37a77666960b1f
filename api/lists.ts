import { z } from 'zod'
import { refuse } from '../pipeline/core/errors.ts'
import { NIL_UUID } from '../pipeline/core/uuid-v7.ts'
import { cursorOfSnapshot } from '../pipeline/index/points/feed.ts'
import type { Reader, Snapshot } from '../pipeline/index/reader.ts'
import { whole } from './fields.ts'
import type { Services } from './services.ts'

const SEARCH_CHARS = 200
const SHORTEST_CHARS = 2
const NOT_YET_SECONDS = 5
const LARGEST_PAGE = 5_000
const LARGEST_OFFSET = 1e9
/** Callers refuse longer lists. */
export const LIST_BYTES = Math.floor(1.5 * 1024 * 1024)

const SearchText = z.string().trim().max(SEARCH_CHARS)

/** What is looked for, where something must be. */
export const RequiredText = SearchText.min(SHORTEST_CHARS, {
  error: `must be at least ${SHORTEST_CHARS} characters`,
}).meta({ description: 'a name, a domain, an identifier, or a part of one' })

/** What finds entries; undefined before the first snapshot, when there are none. */
export function searchOf({ search, snapshot }: Reader) {
  if (search !== undefined || snapshot === undefined) return search
  return refuse('unavailable', 'the search is being made; try again', {
    retry_after: NOT_YET_SECONDS,
  })
}

/** The query of a list; `limit=0` means the usual page. */
export function listQuery<const Source extends string>(sources: readonly Source[], usual: number) {
  return z.object({
    search: SearchText.optional().meta({
      description: 'part of a name, a domain or an identifier; blank for all',
    }),
    source: z.enum(sources).optional(),
    limit: whole({ min: 0, max: LARGEST_PAGE, default: usual, clamp: true }).transform(
      limit => limit || usual,
    ),
    offset: whole({ min: 0, max: LARGEST_OFFSET, default: 0 }),
  })
}

/** Which commit a list shows. */
export function seqHeader(snapshot: Pick<Snapshot, 'seq'> | undefined): Record<string, string> {
  return { 'x-registry-seq': String(snapshot?.seq ?? 0) }
}

/**
 * What a replica begins with: which commit an answer shows, and the event to read the feed on from.
 * Everything of one snapshot has the same cursor; of several pages the first one's is to be taken.
 */
export function syncHeaders(
  snapshot: Snapshot | undefined,
  { reader, config }: Pick<Services, 'reader' | 'config'>,
): Record<string, string> {
  const cursor = snapshot
    ? cursorOfSnapshot(snapshot, reader, config.LIMITS.feedRetentionDays)
    : NIL_UUID
  return { ...seqHeader(snapshot), 'x-sync-cursor': cursor }
}

/** As many items as fit into an answer; `<name>_truncated` says when there were more. */
export function fitting<Name extends string, Item>(
  name: Name,
  items: Iterable<Item>,
  maxBytes = LIST_BYTES,
) {
  let bytes = 0
  const fits: Item[] = []
  for (const item of items) {
    bytes += Buffer.byteLength(JSON.stringify(item)) + 1
    if (bytes > maxBytes) return { [name]: fits, [`${name}_truncated`]: true }
    fits.push(item)
  }
  return { [name]: fits }
}

/** The items of one page: as many as were asked for and fit, and at least one where there are any. */
export function pageOf<Item>(
  items: readonly Item[],
  limit: number,
): { items: readonly Item[]; hasMore: boolean } {
  let bytes = 0
  let count = 0
  for (const item of items.slice(0, limit)) {
    bytes += Buffer.byteLength(JSON.stringify(item)) + 1
    if (count > 0 && bytes > LIST_BYTES) break
    count += 1
  }
  return { items: items.slice(0, count), hasMore: count < items.length }
}

/** As many items as fit, where they are JSON already: the members of an answer, as JSON. */
export function fittingJson(name: string, items: readonly string[]): string {
  let bytes = 0
  const fits = items.findIndex(item => {
    bytes += Buffer.byteLength(item) + 1
    return bytes > LIST_BYTES
  })
  return fits === -1
    ? `"${name}":[${items.join()}]`
    : `"${name}":[${items.slice(0, fits).join()}],"${name}_truncated":true`
}
