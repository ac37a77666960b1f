import type { BrandRow } from '../../model/rows.ts'
import { brandResolutionOf } from '../answers.ts'
import type { Database } from '../duckdb.ts'
import { brandRows } from '../entries.ts'
import type { Scope } from '../scope.ts'
import type { Entry } from '../serving.ts'
import { documentValue } from '../serving-value.ts'

export async function brandEntries(
  index: Database,
  { brands, known: touched, parameters, planning, at }: Scope,
): Promise<Entry[]> {
  const keys =
    touched?.brands ?? (await index.all<{ key: string }>(brands, parameters)).map(({ key }) => key)
  if (keys.length === 0) return []
  const rows = touched
    ? [...(await brandRows.read(index, touched.brands)).values()]
    : await index.all<BrandRow>(
        `select * from brands where domain in ${brands}`,
        parameters,
        planning,
      )
  const known = new Map(rows.map(row => [row.domain, documentValue(brandResolutionOf(row), at)]))
  return keys.map(key => ({ space: 'brand', key, value: known.get(key) }))
}
