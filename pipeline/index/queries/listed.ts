import type { Snapshot } from '../reader.ts'
import type { ListFilter, Listing, Stretch } from '../search/listing.ts'
import { OnceASnapshot } from './once.ts'

const firstPages = new OnceASnapshot<Buffer>(8)

/**
 * A page of a list as the search file has it, with the counts of all; as many items as fit into so many
 * bytes. The first page without a filter is asked for alike by many, so its bytes are made once.
 */
export function listedPage(
  name: string,
  listing: Listing,
  asked: Stretch,
  { filter, stats }: { filter: ListFilter | undefined; stats: object },
  mostBytes: number,
): Buffer {
  const make = () => {
    const { items, isCut } = listing.page(asked, filter, mostBytes)
    const cut = isCut ? `,"${name}_truncated":true` : ''
    const end = `]${cut},"stats":${JSON.stringify(stats)}}`
    return Buffer.concat([Buffer.from(`{"${name}":[`), items, Buffer.from(end)])
  }
  const isFirst = filter === undefined && asked.offset === 0
  return isFirst ? listing.kept(String(asked.limit), make) : make()
}

/** The same where there is no search file: a first page of a snapshot, as JSON made once. */
export function firstPageOf(
  snapshot: Snapshot,
  name: string,
  { limit, offset, source }: Stretch & { source?: string | undefined },
  make: () => Promise<object>,
): Promise<object> {
  if (offset > 0 || source !== undefined) return make()
  return firstPages.get(snapshot, `${name} ${limit}`, async () =>
    Buffer.from(JSON.stringify(await make())),
  )
}
