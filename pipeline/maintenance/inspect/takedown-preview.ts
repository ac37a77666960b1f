import { listPrivateRows } from '../../accounts/taken-down-rows.ts'
import type { Domain } from '../../core/domain.ts'
import { requireValue } from '../../core/present.ts'
import { listColumnarTables } from '../../store/columnar-log.ts'
import type { Database } from '../../store/database.ts'
import { buildDomainCondition } from '../../store/domain-match.ts'
import { listDeletedRows } from '../../writer/takedown/deleted-rows.ts'

/** Rows that a takedown of a domain would delete. */
export interface TakedownPreview {
  /** Names that the registry knows at the domain and below it, and the first of them. */
  domains: number
  first: Domain[]
  /** Rows by table, most first; tables without any are left out. */
  rows: { table: string; rows: number }[]
}

const NAMES_SHOWN_MAX = 10

/** Counts what a takedown of a domain would delete, and lists the names that it concerns. */
export async function previewTakedown(index: Database, domain: Domain): Promise<TakedownPreview> {
  const { parameters, rows: deleted } = await listDeletedRows(index, [domain])
  const names = await index.all<{ name: Domain; names: number }>(
    `select name, count(*) over () as names from (
       select location as name from crawl_state where not contains(location, '://')
       union select domain from brands union select domain from entries union select domain from publishers
       union select domain from verified_domains)
     where ${buildDomainCondition('name')} order by length(name), name limit $shown`,
    { ...parameters, shown: NAMES_SHOWN_MAX },
  )
  const rows: TakedownPreview['rows'] = []
  const all = [
    ...deleted.map(({ table, condition }) => ({ table, condition, name: getShownName(table) })),
    ...listPrivateRows().map(({ table, condition }) => ({
      table,
      condition,
      name: `${table} (private)`,
    })),
  ]
  for (const [name, parts] of Map.groupBy(all, ({ name }) => name)) {
    const table = requireValue(parts[0], 'rule').table
    const isDeleted = parts.map(({ condition }) => `(${condition})`).join(' or ')
    const { n } = await index.oneOrThrow<{ n: number }>(
      `select count(*) as n from ${table} where ${isDeleted}`,
      parameters,
    )
    if (n > 0) rows.push({ table: name, rows: n })
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
