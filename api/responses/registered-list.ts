import { z } from 'zod'
import { buildPageEnd } from '../../pipeline/core/page-end.ts'
import {
  buildEmptyList,
  buildListPage,
  type ListQuery,
  type RegisteredList,
  searchList,
} from '../../pipeline/read/queries/listed.ts'
import type { Reader, Snapshot } from '../../pipeline/read/reader.ts'
import { createPageSize, pageCursor, pageOffset } from '../inputs/fields.ts'
import { buildSeqHeader, cutPage, getSearch, getSnapshot, LIST_BYTES, SearchText } from './lists.ts'
import { replyOk, type Sent } from './reply.ts'

const PAGE_ROWS_MAX = 5_000

/** Creates the query schema of a list; `limit=0` means the default page size. */
export function createListQuery<const Source extends string>(
  sources: readonly Source[],
  defaultSize: number,
) {
  return z.object({
    search: SearchText.optional().meta({
      description: 'Part of a name, a domain or an identifier; blank for all',
    }),
    source: z.enum(sources).optional().describe('Only records of this source; all by default'),
    limit: createPageSize({ defaultSize, max: PAGE_ROWS_MAX }),
    offset: pageOffset,
    cursor: pageCursor,
  })
}

/** Start of a page: the cursor if there is one, otherwise the offset. */
interface Start {
  cursor?: string | undefined
  offset: number
}

/** Converts the start of a page to an offset: a cursor of these lists is an offset as text. */
function toOffset({ cursor, offset }: Start) {
  return cursor === undefined ? offset : Number(cursor)
}

/**
 * Replies with a page of a list: the items that match the search text, or all items if there is none. Items
 * come from the search file, or from the snapshot as long as no search file exists.
 */
export async function replyList<Source extends string>(
  list: RegisteredList<Source>,
  { search, ...query }: ListQuery<Source> & Start & { search?: string | undefined },
  reader: Reader,
): Promise<Sent> {
  const page = { ...query, offset: toOffset(query) }
  if (search) return replyFound(list, search, page, reader)
  const { lists } = reader
  if (lists !== undefined)
    return replyOk(buildListPage(lists, list, page, LIST_BYTES), buildSeqHeader(lists))
  const snapshot = getSnapshot(reader)
  const body = snapshot ? await formatSnapshotPage(snapshot, list, page) : buildEmptyList(list)
  return replyOk(body, buildSeqHeader(snapshot))
}

async function replyFound<Source extends string>(
  list: RegisteredList<Source>,
  text: string,
  page: ListQuery<Source>,
  reader: Reader,
): Promise<Sent> {
  const index = getSearch(reader)
  if (index === undefined) return replyOk(buildEmptyList(list), buildSeqHeader(index))
  const { items, stats } = await searchList(index, list, text, addNextItem(page))
  return replyOk(formatListPage(list.name, items, { ...page, stats }), buildSeqHeader(index))
}

async function formatSnapshotPage<Source extends string>(
  snapshot: Snapshot,
  list: RegisteredList<Source>,
  page: ListQuery<Source>,
): Promise<string> {
  const { items, stats } = await list.load(snapshot, addNextItem(page))
  const texts = items.map(item => JSON.stringify(item))
  return formatListPage(list.name, texts, { ...page, stats })
}

/** Raises the limit by one: if that item exists, there is another page. */
function addNextItem<Query extends ListQuery>(page: Query): Query {
  return { ...page, limit: page.limit + 1 }
}

/**
 * Formats a page as JSON, with the counts of all matches. `items` may have one more than `limit`, which is
 * not shown: then there is another page.
 */
function formatListPage(
  name: string,
  items: readonly string[],
  { limit, offset, stats }: { limit: number; offset: number; stats: object },
): string {
  const { items: shown, hasMore } = cutPage(items, limit, item => item)
  const rest = {
    ...(hasMore && shown.length < limit && { [`${name}_truncated`]: true }),
    stats,
    ...buildPageEnd(offset, shown.length, offset + items.length),
  }
  return `{"${name}":[${shown.join()}],${JSON.stringify(rest).slice(1)}`
}
