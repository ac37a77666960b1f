import { buildLog } from './columnar-log.ts'
import type { Sqlite } from './sqlite.ts'
import { listTables, readTableFile, type TableFile } from './table-files.ts'

/** Format of these tables, which the record and each snapshot say in `meta.format`. */
export const INDEX_FORMAT = 7

/** Types that SQLite cannot parse, or that mean other values in private tables, as the record declares them. */
const TYPES: readonly (readonly [RegExp, string])[] = [
  [/\bstruct\(.*?\)\[\]/g, 'json'],
  [/\btimestamptz\b/g, 'instant'],
]

/** Builds the SQL statements that create a table of the index in the record, and then its indexes. */
export function buildStoredTable({ name, sql, storedAs, key, indexes }: TableFile): string[] {
  const [, lines = ''] = /^create table .*?\(\n(.*?)^\);$/ms.exec(sql) ?? []
  const columns = TYPES.reduce(
    (text, [type, stored]) => text.replace(type, stored),
    lines.replace(/^.* -- computed as .*\n/gm, '').replace(/ -- .*$/gm, ''),
  )
  const keys =
    key === undefined
      ? []
      : [`create unique index if not exists ${name}_key on ${storedAs} (${key})`]
  const others = indexes.map((index, place) => {
    const [, on = '', where = ''] = /^(.*?)( where .*)?$/.exec(index) ?? []
    return `create index if not exists ${name}_${place + 1} on ${storedAs} (${on})${where}`
  })
  return [`create table if not exists ${storedAs} (\n${columns})`, ...keys, ...others]
}

/** Creates the tables of the index that a record lacks, and the row that numbers commits. */
export function declareIndex(db: Sqlite): void {
  const sql = listTables('tables').flatMap(name => buildStoredTable(readTableFile('tables', name)))
  db.exec(`${sql.join(';\n')};
    ${buildLog()};
    insert into meta (format, fence, seq) select ${INDEX_FORMAT}, 0, 0 where not exists (select 1 from meta)`)
}
