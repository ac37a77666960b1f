import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../core/project-root.ts'

export type TableFolder = 'tables' | 'accounts'

/** A column as a table's SQL file declares it. */
export interface ColumnDeclaration {
  name: string
  type: string
  /** Type that analysts see, such as `timestamptz` or `enum outcome`; undefined where it is the stored one. */
  publishedAs: string | undefined
  /** Computation of the values of a column that the record lacks; undefined for one that it stores. */
  computed: Computation | undefined
}

/** SQL for the record, whose row is `t`, and the column that has the value wherever it is null. */
export interface Computation {
  sql: string
  otherwise: string
}

/** Columns whose values are found in those of another table. */
export interface Reference {
  columns: string
  table: string
  targets: string
}

/** A table as its SQL file declares it, with the statements about it that its comments hold. */
export interface TableFile {
  name: string
  /** The whole file. */
  sql: string
  columns: readonly ColumnDeclaration[]
  /** Columns that tell its rows apart, from `-- key:`; undefined where rows may be alike. */
  key: string | undefined
  /** From `-- references:`. */
  references: readonly Reference[]
  /** Name of the table in the record; it differs where private rows have that name. */
  storedAs: string
  /** Columns of its indexes, as SQL, from `-- index:`. */
  indexes: readonly string[]
  /**
   * From `-- noted by:`, a column that each update sets, at least to itself, which leaves `seq` as it is: a trigger
   * on all columns costs 2.4 µs of the 17 that a night takes for a file.
   */
  notedBy: string | undefined
  /** True for a table that serves the writer alone: `-- bookkeeping`. */
  isBookkeeping: boolean
}

const getFolder = (folder: TableFolder) => join(projectRoot, 'data', folder)

/** Lists the tables that the SQL files of a folder declare, by name. */
export function listTables(folder: TableFolder): string[] {
  return readdirSync(getFolder(folder))
    .filter(file => file.endsWith('.sql'))
    .map(file => file.slice(0, -4))
    .sort()
}

/** Reads the SQL file of a table. */
export function readTableFile(folder: TableFolder, name: string): TableFile {
  const sql = readFileSync(join(getFolder(folder), `${name}.sql`), 'utf8')
  const [head = '', body = ''] = sql.split(/^create table .*\n/m)
  const [lines = ''] = body.split(/^\);$/m)
  return {
    name,
    sql,
    columns: parseColumns(lines),
    key: /^-- key: (.+)$/m.exec(head)?.[1],
    references: [...head.matchAll(/^-- references: (.+) -> (\w+)\.(.+)$/gm)].map(
      ([, columns = '', table = '', targets = '']) => ({ columns, table, targets }),
    ),
    storedAs: /^-- stored as: (\w+)$/m.exec(head)?.[1] ?? name,
    indexes: [...head.matchAll(/^-- index: (.+)$/gm)].map(([, columns = '']) => columns),
    notedBy: /^-- noted by: (\w+)$/m.exec(head)?.[1],
    isBookkeeping: /^-- bookkeeping$/m.test(head),
  }
}

function parseColumns(lines: string): ColumnDeclaration[] {
  const column =
    /^ {2}(\w+) (struct\(.*?\)\[\]|[\w[\]]+).*?(?: -- published as (.+)| -- computed as (.+), or else (\w+))?$/gm
  return [...lines.matchAll(column)].map(
    ([, name = '', type = '', publishedAs, sql, otherwise]) => ({
      name,
      type,
      publishedAs,
      computed: sql === undefined || otherwise === undefined ? undefined : { sql, otherwise },
    }),
  )
}

/** Lists the tables of the index that analysts see, which are all but those for bookkeeping. */
export function listPublishedTables(): TableFile[] {
  return listTables('tables')
    .map(name => readTableFile('tables', name))
    .filter(table => !table.isBookkeeping)
}
