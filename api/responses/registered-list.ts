import { z } from 'zod'
import { refuse } from '../../pipeline/core/errors.ts'
import { buildPageEnd } from '../../pipeline/core/page-end.ts'
import {
  buildEmptyList,
  buildListPage,
  buildPlacedEnd,
  type ListQuery,
  type RegisteredList,
  searchList,
} from '../../pipeline/read/queries/listed.ts'
import type { Reader, Snapshot } from '../../pipeline/read/reader.ts'
import { createPageSize, decodeCursor, encodeCursor, pageOffset } from '../inputs/fields.ts'
import { buildSeqHeader, cutPage, getSearch, getSnapshot, LIST_BYTES, SearchText } from './lists.ts'
import { replyOk, type Sent } from './reply.ts'

const PAGE_ROWS_MAX = 5_000

/** Creates the query schema of a list; `limit=0` means the default page size. */
export function createListQuery<const Source extends string>(
  name: RegisteredList['name'],
  sources: readonly Source[],
  defaultSize: number,
) {
  return z.object({
    search: SearchText.optional().meta({
      description: 'Part of a name, domain or identifier; blank for all',
    }),
    source: z.enum(sources).optional().describe('Only records from this source; all by default'),
    limit: createPageSize({ defaultSize, max: PAGE_ROWS_MAX }),
    offset: pageOffset.describe('Items to skip; with `cursor`, new items do not shift pages'),
    cursor: createPlaceCursor(name),
  })
}

/** Start of a page: the cursor if there is one, otherwise the offset. */
interface Start {
  cursor?: Partial<Page> | undefined
  offset: number
}

type Page = Pick<ListQuery, 'offset' | 'after'>

const OFFSET = /^\d{1,9}$/
const Place = z.array(z.string()).min(1).max(3)

/** Creates the schema of a `next_cursor`: the place of the last item; that of a search is an offset. */
function createPlaceCursor(list: RegisteredList['name']) {
  return z
    .string()
    .optional()
    .transform((text, ctx): Partial<Page> | undefined => {
      if (text === undefined) return undefined
      if (OFFSET.test(text)) return { offset: Number(text) }
      const after = Place.safeParse(decodeCursor(list, text))
      if (after.success) return { after: after.data }
      ctx.addIssue('must be a `next_cursor` value from a previous response')
      return z.NEVER
    })
    .meta({ type: 'string', description: '`next_cursor` of the previous page; replaces `offset`' })
}

/**
 * Replies with a page of a list: the items that match the search text, or all items if there is none. Items
 * come from the search file, or from the snapshot as long as no search file exists.
 */
export async function replyList<Source extends string>(
  list: RegisteredList<Source>,
  { search, cursor, ...query }: ListQuery<Source> & Start & { search?: string | undefined },
  reader: Reader,
): Promise<Sent> {
  const page = { ...query, ...(cursor && { offset: 0, ...cursor }) }
  if (search && page.after)
    refuse('invalid_request', 'cursor: must be a `next_cursor` value from the same search')
  if (search) return replyFound(list, search, page, reader)
  const { lists } = reader
  if (lists !== undefined)
    return replyOk(
      buildListPage(lists, list, page, LIST_BYTES, place => encodeCursor(list.name, place)),
      buildSeqHeader(lists),
    )
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
  const { shown, start } = cutList(list.name, items, page.limit, stats)
  const end = buildPageEnd(page.offset, shown.length, page.offset + items.length)
  return replyOk(`${start}${JSON.stringify(end).slice(1)}`, buildSeqHeader(index))
}

async function formatSnapshotPage<Source extends string>(
  snapshot: Snapshot,
  list: RegisteredList<Source>,
  page: ListQuery<Source>,
): Promise<string> {
  const { items, stats } = await list.load(snapshot, addNextItem(page))
  const texts = items.map(item => JSON.stringify(item))
  const { shown, start } = cutList(list.name, texts, page.limit, stats)
  const last = shown.length < texts.length ? shown.at(-1) : undefined
  return `${start}${JSON.stringify(buildPlacedEnd(last, list, place => encodeCursor(list.name, place))).slice(1)}`
}

/** Raises the limit by one: if that item exists, there is another page. */
function addNextItem<Query extends ListQuery>(page: Query): Query {
  return { ...page, limit: page.limit + 1 }
}

/**
 * Cuts a page, and formats all of it but its end as JSON, with the counts of all matches. `items` may have one more than
 * `limit`, which is not shown: then there is another page.
 */
function cutList(name: string, items: readonly string[], limit: number, stats: object) {
  const { items: shown, hasMore } = cutPage(items, limit, item => item)
  const rest = { ...(hasMore && shown.length < limit && { [`${name}_truncated`]: true }), stats }
  return { shown, start: `{"${name}":[${shown.join()}],${JSON.stringify(rest).slice(1, -1)},` }
}
