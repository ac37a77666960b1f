import { z } from 'zod'
import { refuse } from '../../pipeline/core/errors.ts'
import {
  countDirectory,
  type Directory,
  type DirectoryCounts,
  type DirectoryPage,
  type DirectoryPosition,
  listDirectory,
} from '../../pipeline/read/queries/directories.ts'
import { createCursor, encodeCursor } from '../inputs/fields.ts'
import { askIfReady } from './ask.ts'
import type { Chosen } from './directory-choices.ts'
import type { ViewCall } from './view.ts'

const ROWS_PER_PAGE = 30

const Position = z.tuple([z.union([z.string(), z.number()]), z.string()])

export interface DirectoryContent<Row> {
  /** Undefined until something was published. */
  page: DirectoryPage<Row> | undefined
  counts: DirectoryCounts
  /** Builds the cursor of the page after a row. */
  buildCursor(last: DirectoryPosition): string
}

/** Loads the part of a directory that the query of a page names. */
export async function loadDirectory<Row extends { id: string }>(
  { query, services: { reader } }: ViewCall<Chosen>,
  directory: Directory,
): Promise<DirectoryContent<Row>> {
  const { snapshot } = reader
  const list = `page of ${directory.name} by ${query.sort}`
  const after = createCursor(list, Position).safeParse(query.cursor)
  if (!after.success)
    return refuse(
      'invalid_request',
      'this link is no longer valid: start again from the first page',
    )
  const asked = { filters: query, sort: query.sort, after: after.data, limit: ROWS_PER_PAGE }
  const found = await askIfReady(
    reader,
    async () =>
      snapshot &&
      Promise.all([
        listDirectory<Row>(snapshot, directory, asked),
        countDirectory(snapshot, directory),
      ]),
  )
  const [page, counts = []] = found ?? []
  return { page, counts, buildCursor: last => encodeCursor(list, last) }
}
