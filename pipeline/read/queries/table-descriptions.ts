import { declareCache } from '../cache/caches.ts'
import { SnapshotCache } from '../cache/snapshot-cache.ts'
import type { Snapshot } from '../reader.ts'

export interface ColumnDescription {
  name: string
  type: string
  comment: string
}

/** A table of the data set, as the snapshot describes it. */
export interface TableDescription {
  name: string
  comment: string
  columns: ColumnDescription[]
}

const descriptions = declareCache(() => new SnapshotCache<ReadonlyMap<string, TableDescription>>(1))

/** Describes the tables and views that analysts see, with their columns, by name. */
export function describeTables(snapshot: Snapshot): Promise<ReadonlyMap<string, TableDescription>> {
  return descriptions(snapshot).get('', () => readDescriptions(snapshot))
}

async function readDescriptions({ db }: Snapshot): Promise<Map<string, TableDescription>> {
  const views = await db.all<{ name: string; comment: string }>(
    "select view_name as name, coalesce(comment, '') as comment from duckdb_views() where not internal and schema_name = 'main' order by view_name",
  )
  const columns = await db.all<ColumnDescription & { table: string }>(
    `select table_name as "table", column_name as name, data_type as type, coalesce(comment, '') as comment
     from duckdb_columns() where not internal and schema_name = 'main' order by table_name, column_index`,
  )
  const described = new Map(
    views.map(view => [view.name, { ...view, columns: [] as ColumnDescription[] }]),
  )
  for (const { table, ...column } of columns) described.get(table)?.columns.push(column)
  return described
}

/** Reads the version of the published tables: it rises when one is renamed, is removed or means something else. */
export async function readSchemaVersion({ db }: Snapshot): Promise<number | undefined> {
  return (await db.one<{ format: number }>('select format from data_set'))?.format
}
