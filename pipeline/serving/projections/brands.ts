import type { Instant } from '../../core/clock.ts'
import type { BrandRow } from '../../model/rows.ts'
import { listBrandFiles } from '../../resolve/deciding-files.ts'
import type { Database } from '../../store/database.ts'
import { brandRows } from '../../store/entries.ts'
import { encodeDocument } from '../document-value.ts'
import { toBrandResolution } from '../documents.ts'
import type { Entry } from '../lmdb.ts'
import type { Scope } from './change-scope.ts'

function encodeBrand(row: BrandRow, changedAt: Instant): Buffer {
  const isMutual = row.relationship_trust === 'mutual'
  return encodeDocument(toBrandResolution(row), changedAt, { isMutual, files: listBrandFiles(row) })
}

export async function projectBrands(
  index: Database,
  { brands, known: touched, parameters, changedAt }: Scope,
): Promise<Entry[]> {
  const keys =
    touched?.brands ??
    (await index.all<{ key: string }>(`select key from ${brands}`, parameters)).map(
      ({ key }) => key,
    )
  if (keys.length === 0) return []
  const rows = touched
    ? [...(await brandRows.read(index, touched.brands)).values()]
    : await index.all<BrandRow>(`select * from brands where domain in ${brands}`, parameters)
  const encoded = new Map(rows.map(row => [row.domain, encodeBrand(row, changedAt)]))
  return keys.map(key => ({ space: 'brand', key, value: encoded.get(key) }))
}
