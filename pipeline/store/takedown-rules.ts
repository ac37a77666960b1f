import { buildDomainCondition } from './domain-match.ts'
import { listTables, readTableFile, type TableFolder } from './table-files.ts'

/** Rule by which a takedown deletes rows of a table, from the `-- takedown:` lines of its SQL file. */
export interface TakedownRule {
  /** Name of the table in the record. */
  table: string
  /** Column that names a domain. */
  column: string
  /** SQL with the parameters `$domains`, a JSON list, and `$pattern`, which finds their names. */
  condition: string
  /** The column is set to null, and the row stays. */
  isCleared: boolean
  /** The row is deleted by what the same commit derives again. */
  isLater: boolean
}

const LINE = /^-- takedown: (.+)$/gm
const DELETES = /^deletes by ([\w, ]+?)( once derived again)?$/
const DELETES_NAMES = /^deletes what names a domain in (\w+)$/
const CLEARS = /^clears (\w+)$/
/** The reason why it keeps the rows, or the file that holds the rule. */
const OTHER = /^(?:keeps\b.+|erases .+\([\w/-]+\.ts\))$/

/** Lists the rules of all tables of a folder that are not in a file of their own. Throws where a table has none. */
export function listTakedownRules(folder: TableFolder): TakedownRule[] {
  return listTables(folder).flatMap(name => {
    const { storedAs, sql } = readTableFile(folder, name)
    const lines = [...sql.matchAll(LINE)].map(([, line = '']) => line)
    if (lines.length === 0) throw new Error(`data/${folder}/${name}.sql has no line “-- takedown:”`)
    return lines.flatMap(line => parseRules(storedAs, line))
  })
}

function parseRules(table: string, line: string): TakedownRule[] {
  const rule = { table, isCleared: false, isLater: false }
  const [, columns, later] = DELETES.exec(line) ?? []
  if (columns !== undefined)
    return columns.split(', ').map(column => ({
      ...rule,
      column,
      condition: buildDomainCondition(column),
      isLater: later !== undefined,
    }))
  const cleared = CLEARS.exec(line)?.[1]
  const column = cleared ?? DELETES_NAMES.exec(line)?.[1]
  if (column !== undefined) {
    const condition = `regexp_matches(${column}, $pattern)`
    return [{ ...rule, column, condition, isCleared: cleared !== undefined }]
  }
  if (!OTHER.test(line)) throw new Error(`unknown rule of a takedown: ${line}`)
  return []
}
