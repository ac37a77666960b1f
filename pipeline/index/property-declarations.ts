import { groupBy } from '../core/group.ts'
import type { BrandDocument, BrandEntry } from '../model/documents.ts'
import type { Declared } from '../resolve/operator.ts'
import type { Stirred } from './crawl-state.ts'
import type { Files } from './derive.ts'
import { type Database, listOf } from './duckdb.ts'
import { deleteRows } from './rows.ts'

export type PropertyDeclaration = Omit<Declared, 'store'> & {
  location: string
  store: string | null
}

/**
 * Keeps what the brand.json files that stand say of properties, and returns the files that say
 * something else than before.
 */
export async function updatePropertyDeclarations(
  db: Database,
  stirred: readonly Stirred[],
  files: Files,
): Promise<string[]> {
  const touched = stirred.filter(one => one.kind === 'brand.json' && one.is_own)
  if (touched.length === 0) return []
  await files.load(touched)
  const before = await declarationsAt(
    db,
    touched.map(({ location }) => location),
  )
  const changed = touched.flatMap(({ kind, location }) => {
    const { document, standing } = files.get({ kind, location })
    const stands = document !== undefined && standing !== 'ended'
    const rows = stands ? declaredIn(location, document as BrandDocument) : []
    return textOf(rows) === textOf(before.get(location) ?? []) ? [] : [{ location, rows }]
  })
  const locations = changed.map(({ location }) => location)
  await deleteRows(db, 'property_declarations', 'location', locations)
  await db.insert(
    'property_declarations',
    changed.flatMap(({ rows }) => rows),
  )
  return locations
}

async function declarationsAt(
  db: Database,
  locations: readonly string[],
): Promise<Map<string, PropertyDeclaration[]>> {
  const rows = await db.all<PropertyDeclaration>(
    `select location, brand_id, type, identifier, store, relationship from property_declarations
     where location in (select unnest(${listOf('$locations')}))`,
    { locations: JSON.stringify(locations) },
  )
  return groupBy(rows, row => row.location)
}

/** Each once: what a file says twice, it says. */
function declaredIn(location: string, document: BrandDocument): PropertyDeclaration[] {
  const rows = brandsOf(document).flatMap(brand =>
    brand.properties.map(({ type, identifier, store, relationship }) => ({
      ...{ location, brand_id: brand.id, type, identifier },
      ...{ store: store ?? null, relationship },
    })),
  )
  return [...new Map(rows.map(row => [JSON.stringify(row), row])).values()]
}

function brandsOf(document: BrandDocument): BrandEntry[] {
  if (document.variant === 'house_portfolio') return document.brands
  return document.variant === 'brand_canonical' ? [document.brand] : []
}

function textOf(rows: readonly PropertyDeclaration[]): string {
  return rows
    .map(row =>
      JSON.stringify([row.brand_id, row.type, row.identifier, row.store, row.relationship]),
    )
    .sort()
    .join()
}
