import type { Operation } from '../operation/operation.ts'
import { askIfReady } from './ask.ts'
import type { TablePages } from './parts/blocks.tsx'
import type { ViewCall } from './view.ts'

/** Rows of a list on one page. */
const ROWS_PER_PAGE = '50'

/** Query of a page that shows a list in parts. */
export interface ListQuery {
  cursor?: string | undefined
}

/** Asks for the part of a list that the page’s cursor names; undefined until something was published. */
export async function askForList<Body>(
  operation: Operation,
  { ask, query: { cursor }, services }: ViewCall<ListQuery>,
): Promise<Body | undefined> {
  const query = { limit: ROWS_PER_PAGE, ...(cursor && { cursor }) }
  const found = await askIfReady(services.reader, () => ask<Body>(operation, { query }))
  return found?.body
}

/** Builds the ways to the other parts of a list whose cursors count the rows before them. */
export function buildPages(
  path: string,
  { cursor, size = Number(ROWS_PER_PAGE) }: ListQuery & { size?: number },
  nextCursor: string | null | undefined,
): TablePages {
  const before = Number(cursor ?? 0)
  const to = (start: number) =>
    start <= 0 ? path : `${path}?${new URLSearchParams({ cursor: String(start) })}`
  return {
    before,
    first: before > 0 ? path : undefined,
    previous: before > 0 ? to(before - size) : undefined,
    toNext: shown => (nextCursor ? to(before + shown) : undefined),
  }
}
