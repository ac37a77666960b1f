import { buildPageEnd } from '../../core/page-end.ts'
import type { ListFilter } from '../../search/listing.ts'
import type { SearchIndex } from '../../search/search-index.ts'
import type { Snapshot } from '../reader.ts'
import type { Page } from './page.ts'

/** Counts the items of a list whose flags fit. */
export type CountFlags = (isMatching: (flags: number) => boolean) => number

/** The place of an item in the order of its list: what it is sorted by, compared by bytes. */
export type Place = readonly string[]

/** A page of a list, of all items or of one source: those after a place, or after as many as the offset says. */
export interface ListQuery<Source extends string = string> extends Page {
  source?: Source | undefined
  after?: Place | undefined
}

/** Writes the place of the last item of a page as the cursor of the next one. */
export type FormatCursor = (place: Place) => string

/** A list of everything of one kind: how the search file and the snapshot hold it. */
export interface RegisteredList<Source extends string = string> {
  /** Its collection in the search file, and its member in an answer. */
  name: 'brands' | 'properties'
  /** Loads a page in the order of the list; the counts are of all, whatever their source. */
  load(
    snapshot: Pick<Snapshot, 'db'>,
    asked: ListQuery<Source>,
  ): Promise<{ items: object[]; stats: object }>
  /** Returns the place of an item. */
  toPlace(item: string): Place
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
  { source, limit, after, ...query }: ListQuery<Source>,
  mostBytes: number,
  formatCursor: FormatCursor,
): Buffer {
  const { name } = list
  const listing = index.listing(name)
  const stats = list.count(isMatching => listing.count(isMatching))
  const filter = toFilter(list, source)
  const isBeyond = (item: string) =>
    after !== undefined && comparePlaces(list.toPlace(item), after) > 0
  const offset = after === undefined ? query.offset : listing.countUntil(isBeyond, filter)
  const make = () => {
    const { items, count, isCut, last } = listing.page({ limit, offset }, filter, mostBytes)
    const total = listing.count(filter?.matches ?? (() => true))
    const rest = {
      ...(isCut && { [`${name}_truncated`]: true }),
      stats,
      ...buildPlacedEnd(offset + count < total ? last : undefined, list, formatCursor),
    }
    const end = `],${JSON.stringify(rest).slice(1)}`
    return Buffer.concat([Buffer.from(`{"${name}":[`), items, Buffer.from(end)])
  }
  return filter === undefined && offset === 0 ? listing.memoize(String(limit), make) : make()
}

/** Builds the end of a page that goes on after an item, or is the last one. */
export function buildPlacedEnd(
  last: string | undefined,
  { toPlace }: Pick<RegisteredList, 'toPlace'>,
  formatCursor: FormatCursor,
) {
  const next_cursor = last === undefined ? null : formatCursor(toPlace(last))
  return { has_more: next_cursor !== null, next_cursor }
}

function comparePlaces(a: Place, b: Place): number {
  for (const [i, part] of a.entries()) {
    const order = Buffer.compare(Buffer.from(part), Buffer.from(b[i] ?? ''))
    if (order !== 0) return order
  }
  return 0
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
