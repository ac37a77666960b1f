import { z } from 'zod'
import { NIL_UUID } from '../pipeline/core/uuid-v7.ts'
import type { Snapshot } from '../pipeline/index/reader.ts'
import { whole } from './fields.ts'
import type { Services } from './services.ts'

const SEARCH_CHARS = 200
const LARGEST_PAGE = 5_000
const LARGEST_OFFSET = 1e9
/** Callers refuse longer lists. */
export const LIST_BYTES = Math.floor(1.5 * 1024 * 1024)

/** The query of a list; `limit=0` means the usual page. */
export function listQuery<const Source extends string>(sources: readonly Source[], usual: number) {
  return z.object({
    search: z.string().max(SEARCH_CHARS).optional().meta({ description: 'part of a name' }),
    source: z.enum(sources).optional(),
    limit: whole({ min: 0, max: LARGEST_PAGE, default: usual, clamp: true }).transform(
      limit => limit || usual,
    ),
    offset: whole({ min: 0, max: LARGEST_OFFSET, default: 0 }),
  })
}

/** Which commit a list shows. */
export function seqHeader(snapshot: Snapshot | undefined): Record<string, string> {
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
  const cursor = snapshot?.cursor(reader.now(), config.LIMITS.feedRetentionDays) ?? NIL_UUID
  return { ...seqHeader(snapshot), 'x-sync-cursor': cursor }
}

/** As many items as fit into an answer; `<name>_truncated` says when there were more. */
export function fitting<Name extends string, Item>(name: Name, items: Iterable<Item>) {
  let bytes = 0
  const fits: Item[] = []
  for (const item of items) {
    bytes += Buffer.byteLength(JSON.stringify(item)) + 1
    if (bytes > LIST_BYTES) return { [name]: fits, [`${name}_truncated`]: true }
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

/**
 * The answer of a list: a question without filters is answered alike for all who ask it, from bytes
 * that were made once for the snapshot.
 */
export async function listAnswer<Asked extends { limit: number; offset: number }>(
  name: string,
  snapshot: Snapshot,
  asked: Asked,
  make: (source: Pick<Snapshot, 'db'>, asked: Asked) => Promise<object>,
): Promise<object> {
  const { limit, offset, ...filters } = asked
  const isFiltered = Object.values(filters).some(filter => filter !== undefined && filter !== '')
  if (isFiltered || offset > 0) return make(snapshot, asked)
  return snapshot.pages.get(`${name} ${limit}`, async source =>
    Buffer.from(JSON.stringify(await make(source, asked))),
  )
}
