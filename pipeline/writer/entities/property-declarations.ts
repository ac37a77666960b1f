import type { BrandDocument, BrandEntry } from '../../model/documents/index.ts'
import type { Invalidated } from '../../model/invalidated.ts'
import type { Declared } from '../../resolve/operator.ts'
import type { Database } from '../../store/database.ts'
import { deleteRows } from '../../store/row-writes.ts'
import type { Files } from '../derivation-files.ts'

export type PropertyDeclaration = Omit<Declared, 'store'> & {
  location: string
  store: string | null
}

/**
 * Updates the properties that invalidated brand.json files declare, and returns the locations of files with
 * changes. A file that has expired declares none.
 */
export async function updatePropertyDeclarations(
  db: Database,
  invalidated: readonly Invalidated[],
  files: Files,
): Promise<string[]> {
  const touched = invalidated.filter(source => source.kind === 'brand.json' && source.is_own)
  if (touched.length === 0) return []
  await files.load(touched)
  const before = await loadDeclarations(
    db,
    touched.map(({ location }) => location),
  )
  const changed = touched.flatMap(({ kind, location }) => {
    const { document, validity } = files.get({ kind, location })
    const isInForce = document !== undefined && validity !== 'expired'
    const rows = isInForce ? listDeclarations(location, document as BrandDocument) : []
    return toComparableText(rows) === toComparableText(before.get(location) ?? [])
      ? []
      : [{ location, rows }]
  })
  const locations = changed.map(({ location }) => location)
  await deleteRows(db, 'property_declarations', 'location', locations)
  await db.insert(
    'property_declarations',
    changed.flatMap(({ rows }) => rows),
  )
  return locations
}

async function loadDeclarations(
  db: Database,
  locations: readonly string[],
): Promise<Map<string, PropertyDeclaration[]>> {
  const rows = await db.all<PropertyDeclaration>(
    `select location, brand_id, type, identifier, store, relationship from property_declarations
     where location in (select value from json_each($locations))`,
    { locations: JSON.stringify(locations) },
  )
  return Map.groupBy(rows, row => row.location)
}

/** Lists distinct declarations, since a file may repeat them. */
function listDeclarations(location: string, document: BrandDocument): PropertyDeclaration[] {
  const rows = listBrands(document).flatMap(brand =>
    brand.properties.map(({ type, identifier, store, relationship }) => ({
      location,
      brand_id: brand.id,
      type,
      identifier,
      store: store ?? null,
      relationship,
    })),
  )
  return [...new Map(rows.map(row => [JSON.stringify(row), row])).values()]
}

function listBrands(document: BrandDocument): BrandEntry[] {
  if (document.variant === 'house_portfolio') return document.brands
  return document.variant === 'brand_canonical' ? [document.brand] : []
}

/** Converts declarations to a text that is equal for equal ones in any order. */
function toComparableText(rows: readonly PropertyDeclaration[]): string {
  return rows
    .map(row =>
      JSON.stringify([row.brand_id, row.type, row.identifier, row.store, row.relationship]),
    )
    .sort()
    .join()
}
