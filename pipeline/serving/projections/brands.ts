import type { Instant } from '../../core/clock.ts'
import type { BrandRow } from '../../model/rows.ts'
import { listBrandFiles } from '../../resolve/deciding-files.ts'
import type { Database } from '../../store/database.ts'
import { brandRows } from '../../store/entries.ts'
import { encodeDocument } from '../document-value.ts'
import { toBrandResolution } from '../documents.ts'
import type { Entry } from '../lmdb.ts'
import type { Scope } from './scope.ts'

function encodeBrand(row: BrandRow, changedAt: Instant): Buffer {
  const isMutual = row.relationship_trust === 'mutual'
  return encodeDocument(toBrandResolution(row), changedAt, { isMutual, files: listBrandFiles(row) })
}

export async function projectBrands(
  index: Database,
  { brands, changedAt }: Scope,
): Promise<Entry[]> {
  const rows = await brandRows.read(index, brands)
  return brands.map(key => {
    const row = rows.get(key)
    return { space: 'brand', key, value: row && encodeBrand(row, changedAt) }
  })
}
