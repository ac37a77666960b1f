import { buildPageEnd } from '../../core/page-end.ts'
import type { ListFilter, Listing, PageRange } from '../../search/listing.ts'
import { SnapshotCache } from '../cache/snapshot-cache.ts'
import type { Snapshot } from '../reader.ts'

const firstPages = new SnapshotCache<Buffer>(8)

/**
 * Builds a page of a list from the search file, with the total counts; as many items as fit into so many
 * bytes. Many callers ask for the first page without a filter, so its bytes are cached.
 */
export function buildListPage(
  name: string,
  listing: Listing,
  asked: PageRange,
  { filter, stats }: { filter: ListFilter | undefined; stats: object },
  mostBytes: number,
): Buffer {
  const make = () => {
    const { items, count, isCut } = listing.page(asked, filter, mostBytes)
    const total = listing.count(filter?.matches ?? (() => true))
    const rest = {
      ...(isCut && { [`${name}_truncated`]: true }),
      stats,
      ...buildPageEnd(asked.offset, count, total),
    }
    const end = `],${JSON.stringify(rest).slice(1)}`
    return Buffer.concat([Buffer.from(`{"${name}":[`), items, Buffer.from(end)])
  }
  const isFirst = filter === undefined && asked.offset === 0
  return isFirst ? listing.memoize(String(asked.limit), make) : make()
}

/** Builds a first page without a search file, once a snapshot, as JSON. */
export function buildFirstPage(
  snapshot: Snapshot,
  name: string,
  { limit, offset, source }: PageRange & { source?: string | undefined },
  make: () => Promise<string>,
): Promise<string | Buffer> {
  if (offset > 0 || source !== undefined) return make()
  return firstPages.get(snapshot, `${name} ${limit}`, async () => Buffer.from(await make()))
}
