import type { Domain } from '../../core/domain.ts'
import { listColumnarTables } from '../../store/columnar-log.ts'
import type { Database } from '../../store/database.ts'
import { buildDomainCondition } from '../../store/domain-match.ts'
import { listDeletedRows } from '../../writer/takedown/deleted-rows.ts'

/** Rows that a takedown of a domain would delete from the index. */
export interface TakedownPreview {
  /** Names that the registry knows at the domain and below it, and the first of them. */
  domains: number
  first: Domain[]
  /** Rows by table, most first; tables without any are left out. */
  rows: { table: string; rows: number }[]
}

const NAMES_SHOWN_MAX = 10

/** Counts what a takedown of a domain would delete from the index, and lists the names that it concerns. */
export async function previewTakedown(index: Database, domain: Domain): Promise<TakedownPreview> {
  const { parameters, rows: deleted } = await listDeletedRows(index, [domain])
  const names = await index.all<{ name: Domain; names: number }>(
    `select name, count(*) over () as names from (
       select location as name from crawl_state where not contains(location, '://')
       union select domain from brands union select domain from entries union select domain from publishers)
     where ${buildDomainCondition('name')} order by length(name), name limit $shown`,
    { ...parameters, shown: NAMES_SHOWN_MAX },
  )
  const rows: TakedownPreview['rows'] = []
  for (const [table, parts] of Map.groupBy(deleted, ({ table }) => table)) {
    const isDeleted = parts.map(({ condition }) => `(${condition})`).join(' or ')
    const { n } = await index.oneOrThrow<{ n: number }>(
      `select count(*) as n from ${table} where ${isDeleted}`,
      parameters,
    )
    if (n > 0) rows.push({ table: getShownName(table), rows: n })
  }
  return {
    domains: names[0]?.names ?? 0,
    first: names.map(({ name }) => name),
    rows: rows.sort((a, b) => b.rows - a.rows),
  }
}

/** Returns the name by which analysts know a table of the record. */
function getShownName(table: string): string {
  return listColumnarTables().find(({ storedAs }) => storedAs === table)?.name ?? table
}
