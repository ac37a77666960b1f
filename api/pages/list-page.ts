import type { Operation } from '../operation/operation.ts'
import { askIfReady } from './ask.ts'
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

/** Builds the path of a list’s next part; undefined on its last. */
export function buildNextPath(path: string, cursor: string | null | undefined): string | undefined {
  return cursor ? `${path}?${new URLSearchParams({ cursor })}` : undefined
}
