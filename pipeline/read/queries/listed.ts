import { buildPageEnd } from '../../core/page-end.ts'
import type { ListFilter } from '../../search/listing.ts'
import type { SearchIndex } from '../../search/search-index.ts'
import type { Snapshot } from '../reader.ts'
import type { Page } from './page.ts'

/** Counts the items of a list whose flags fit. */
export type CountFlags = (isMatching: (flags: number) => boolean) => number

/** A page of a list, of all items or of one source. */
export interface ListQuery<Source extends string = string> extends Page {
  source?: Source | undefined
}

/** A list of everything of one kind: how the search file and the snapshot hold it. */
export interface RegisteredList<Source extends string = string> {
  /** Its collection in the search file, and its member in an answer. */
  name: 'brands' | 'properties'
  /** Loads a page in the order of the list; the counts are of all, whatever their source. */
  load(
    snapshot: Pick<Snapshot, 'db'>,
    asked: ListQuery<Source>,
  ): Promise<{ items: object[]; stats: object }>
  /** Tells whether an item with these flags comes from a source. */
  isOfSource(flags: number, source: Source): boolean
  count(count: CountFlags): object
}

/** Searches a list by text, the best first; the items are JSON. The counts are of all that match. */
export async function searchList<Source extends string>(
  index: SearchIndex,
  list: RegisteredList<Source>,
  text: string,
  { source, limit, offset }: ListQuery<Source>,
): Promise<{ items: string[]; stats: object }> {
  const matches = await index.all(list.name, text)
  const isShown = toFilter(list, source)?.matches ?? (() => true)
  const stats = list.count(matches.counter())
  return { items: await matches.page({ limit, offset }, isShown), stats }
}

/**
 * Builds a page of a list from the search file, as the JSON of an answer with at most so many bytes of
 * items. Many callers request the first page without a filter, so its bytes are cached.
 */
export function buildListPage<Source extends string>(
  index: SearchIndex,
  list: RegisteredList<Source>,
  { source, limit, offset }: ListQuery<Source>,
  mostBytes: number,
): Buffer {
  const { name } = list
  const listing = index.listing(name)
  const stats = list.count(isMatching => listing.count(isMatching))
  const filter = toFilter(list, source)
  const make = () => {
    const { items, count, isCut } = listing.page({ limit, offset }, filter, mostBytes)
    const total = listing.count(filter?.matches ?? (() => true))
    const rest = {
      ...(isCut && { [`${name}_truncated`]: true }),
      stats,
      ...buildPageEnd(offset, count, total),
    }
    const end = `],${JSON.stringify(rest).slice(1)}`
    return Buffer.concat([Buffer.from(`{"${name}":[`), items, Buffer.from(end)])
  }
  return filter === undefined && offset === 0 ? listing.memoize(String(limit), make) : make()
}

function toFilter<Source extends string>(
  list: RegisteredList<Source>,
  source: Source | undefined,
): ListFilter | undefined {
  if (source === undefined) return undefined
  return { name: source, matches: flags => list.isOfSource(flags, source) }
}

/** Builds a list before the first snapshot. */
export function buildEmptyList<Source extends string>({
  name,
  count,
}: RegisteredList<Source>): object {
  return { [name]: [], stats: count(() => 0), ...buildPageEnd(0, 0, 0) }
}
