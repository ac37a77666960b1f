import type { Domain } from '../../core/domain.ts'
import { buildDomainCondition } from '../../store/domain-match.ts'
import type { Database } from '../../store/duckdb.ts'
import { listOwnedColumns } from '../../writer/takedown/apply-takedown.ts'

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
  const parameters = { domains: JSON.stringify([domain]), shown: NAMES_SHOWN_MAX }
  const names = await index.all<{ name: Domain; names: number }>(
    `select name, count(*) over () as names from (
       select location as name from crawl_state where not contains(location, '://')
       union select domain from brands union select domain from entries union select domain from publishers)
     where ${buildDomainCondition('name')} order by length(name), name limit $shown`,
    parameters,
  )
  const owned = Map.groupBy(await listOwnedColumns(index), ({ table }) => table)
  const rows: TakedownPreview['rows'] = []
  for (const [table, columns] of owned) {
    const isOwned = columns.map(({ column }) => buildDomainCondition(column)).join(' or ')
    const { n } = await index.oneOrThrow<{ n: number }>(
      `select count(*) as n from ${table} where ${isOwned}`,
      parameters,
    )
    if (n > 0) rows.push({ table, rows: n })
  }
  return {
    domains: names[0]?.names ?? 0,
    first: names.map(({ name }) => name),
    rows: rows.sort((a, b) => b.rows - a.rows),
  }
}
