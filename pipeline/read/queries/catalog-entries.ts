import type { Identifier } from '../../model/documents/index.ts'
import type { Snapshot } from '../reader.ts'

/** Catalog entry of one identifier. */
export interface CatalogEntry {
  property_rid: string
  classification: string
  source: string
}

/**
 * Finds active properties by their identifiers, compared case-insensitively; of several with the same
 * identifier the oldest.
 */
export async function findCatalogEntries(
  { db }: Snapshot,
  identifiers: readonly Identifier[],
): Promise<ReadonlyMap<string, CatalogEntry>> {
  if (identifiers.length === 0) return new Map()
  const keys = [...new Set(identifiers.map(toCatalogKey))]
  const rows = await db.all<CatalogEntry & { key: string }>(
    `with asked as (select unnest(from_json($keys::json, '["VARCHAR"]')) as key),
     known as (
       select property_rid, classification, source,
         unnest(list_transform(identifiers, i -> i.type || ':' || lower(i.value))) as key
       from properties where status = 'active')
     select key, min(property_rid)::varchar as property_rid,
       arg_min(classification, property_rid) as classification,
       arg_min(source, property_rid) as source
     from known semi join asked using (key) group by key`,
    { keys: JSON.stringify(keys) },
  )
  return new Map(rows.map(({ key, ...entry }) => [key, entry]))
}

/** Returns the key of an identifier in the map of `findCatalogEntries`. */
export function toCatalogKey({ type, value }: Identifier): string {
  return `${type}:${value.toLowerCase()}`
}
