import { z } from 'zod'
import type { Database } from './duckdb.ts'

/** Counts of the rows by which a release of a table differs from the one before, told apart by its key. */
export const TableChanges = z.object({
  table: z.string(),
  /** Day of the release with which it was compared. */
  since: z.string(),
  added: z.number(),
  removed: z.number(),
  changed: z.number(),
})
export type TableChanges = z.infer<typeof TableChanges>

const quote = (name: string) => `"${name}"`

/** Counts the rows by which two releases of a table differ; columns that only one of them has do not count. */
export async function countChangedRows(
  db: Database,
  { key, before, after }: { key: string; before: string; after: string },
): Promise<Pick<TableChanges, 'added' | 'removed' | 'changed'>> {
  // The day in the path of a file is no column of its rows.
  const read = (files: string) =>
    `read_parquet('${files.replaceAll("'", "''")}', hive_partitioning = false)`
  const columns = await db.all<{ name: string }>(
    `select column_name as name from (describe from ${read(after)})
     semi join (describe from ${read(before)}) using (column_name)`,
  )
  const keys = key.split(', ').map(quote)
  const others = columns.map(({ name }) => quote(name)).filter(name => !keys.includes(name))
  const select = (files: string) =>
    `select ${keys.join()}, hash(${others.join() || 'null'}) as content, true as is_there from ${read(files)}`
  const on = keys.map(name => `a.${name} is not distinct from b.${name}`).join(' and ')
  return db.oneOrThrow(
    `select count(*) filter (b.is_there is null)::double as added,
       count(*) filter (a.is_there is null)::double as removed,
       count(*) filter (a.content <> b.content)::double as changed
     from (${select(after)}) a full join (${select(before)}) b on ${on}`,
  )
}
