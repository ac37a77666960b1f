import { z } from 'zod'
import { TaskError } from './errors.ts'

/** The page of a list that a request asks for. */
export const Pagination = z
  .looseObject({
    max_results: z.number().int().min(1).max(100).optional().describe('Entries of a page'),
    cursor: z.string().optional().describe('Where the page before ended'),
  })
  .describe('The page of the list to return')

const PAGE_ROWS_DEFAULT = 50

/** Cuts one page of a list, and describes it for the answer. */
export function cutPage<Item>(
  all: readonly Item[],
  { max_results = PAGE_ROWS_DEFAULT, cursor }: z.infer<typeof Pagination> = {},
): { items: Item[]; pagination: Record<string, unknown> } {
  const from = cursor === undefined ? 0 : readCursor(cursor, all.length)
  const until = from + max_results
  const hasMore = until < all.length
  return {
    items: all.slice(from, until),
    pagination: {
      has_more: hasMore,
      ...(hasMore && { cursor: writeCursor(until) }),
      total_count: all.length,
    },
  }
}

function writeCursor(position: number): string {
  return Buffer.from(`at:${position}`).toString('base64url')
}

function readCursor(cursor: string, total: number): number {
  const [, digits] = /^at:(\d{1,9})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? []
  const position = digits === undefined ? Number.NaN : Number(digits)
  if (position <= total) return position
  throw new TaskError('INVALID_REQUEST', 'pagination.cursor: was not issued by this agent', {
    field: 'pagination.cursor',
  })
}
