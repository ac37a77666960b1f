import { getAt, getFirst, getOrThrow } from '../core/present.ts'
import type { CollectionEntry, Identifier, PropertyEntry } from '../model/documents/index.ts'
import type { CollectionRow, PropertyRow } from '../model/rows.ts'
import { toFactsKey } from './property-identity.ts'

/** Merged records of a publisher, and the records merged into its own. */
export interface Merges {
  /** alias_rid → canonical_rid, which may be another publisher's. */
  canonical: ReadonlyMap<string, string>
  /** Rids into which other records were merged. Such a record never loses an identifier. */
  mergedRids: ReadonlySet<string>
}

export const noMerges: Merges = { canonical: new Map(), mergedRids: new Set() }

/**
 * Unites the identifiers of several records as one set, in one order: it must not matter which
 * record was merged first.
 */
export function uniteIdentifiers<Item extends Identifier & Partial<Owned>>(
  ...lists: (readonly Item[])[]
): Item[] {
  const all = new Map(lists.flat().map(item => [toSortParts(item).join('\n'), item]))
  return [...all.values()].sort((a, b) => {
    const [first, other] = [toSortParts(a), toSortParts(b)]
    const at = first.findIndex((part, i) => part !== other[i])
    return at < 0 ? 0 : getAt(first, at) < getAt(other, at) ? -1 : 1
  })
}

interface Owned {
  publisher_domain: string
}

function toSortParts({
  publisher_domain = '',
  type,
  value,
}: Identifier & Partial<Owned>): string[] {
  return [publisher_domain, type, value]
}

/**
 * Merges entries to one for each rid that is the publisher's own. Entries that were merged into one
 * property become one entry with the identifiers of all; entries of a property that was merged into another
 * publisher's are dropped.
 */
export function mergeEntries(
  entries: readonly PropertyEntry[],
  rids: readonly string[],
  rows: readonly PropertyRow[],
  { canonical, mergedRids }: Merges,
): Map<string, PropertyEntry> {
  const active = new Map(rows.map(row => [row.property_rid, row]))
  const elsewhere = new Set([...canonical.values()].filter(rid => !active.has(rid)))
  const named = new Map<string, PropertyEntry>()
  const grouped = new Map<string, PropertyEntry[]>()
  for (const [i, entry] of entries.entries()) {
    const rid = getAt(rids, i)
    if (mergedRids.has(rid)) grouped.set(rid, [...(grouped.get(rid) ?? []), entry])
    if (!elsewhere.has(rid)) named.set(rid, pickFirst(named.get(rid), entry))
  }
  for (const [rid, group] of grouped) {
    const row = getOrThrow(active, rid)
    const identifiers = uniteIdentifiers(row.identifiers, ...group.map(entry => entry.identifiers))
    named.set(rid, { ...pickClosest(group, row), identifiers })
  }
  return named
}

/**
 * Picks the entry that gives the facts of a merged property: the earlier one, if it is still there.
 */
function pickClosest(group: readonly PropertyEntry[], row: PropertyRow): PropertyEntry {
  const countMatches = (entry: PropertyEntry) =>
    (entry.property_id === (row.property_id ?? undefined) ? 4 : 0) +
    (entry.property_type === row.property_type ? 2 : 0) +
    (entry.name === row.name ? 1 : 0)
  const sorted = [...group].sort(
    (a, b) =>
      countMatches(b) - countMatches(a) || (toComparableText(a) < toComparableText(b) ? -1 : 1),
  )
  return getFirst(sorted)
}

/**
 * Picks the entry that supplies the facts of a property, independent of the order of the entries.
 */
function pickFirst(first: PropertyEntry | undefined, other: PropertyEntry): PropertyEntry {
  return first === undefined || toComparableText(other) < toComparableText(first) ? other : first
}

/** Converts an entry to a text that is equal for equal entries, whatever the order of their sets. */
function toComparableText(entry: PropertyEntry): string {
  const { name, tags, supported_channels, identifiers } = entry
  const keys = identifiers.map(({ type, value }) => `${type}:${value}`)
  const sets = [tags, supported_channels, keys].map(list => [...list].sort())
  return JSON.stringify([toFactsKey(entry), name, ...sets])
}

/**
 * Merges the entries of a publisher's collections under the ids by which the registry knows them, like
 * `mergeEntries`: a merged collection keeps its own id.
 */
export function mergeCollections(
  entries: readonly CollectionEntry[],
  rows: readonly CollectionRow[],
  { canonical }: Merges,
): CollectionEntry[] {
  if (canonical.size === 0) return [...entries]
  const byRid = new Map(rows.map(row => [row.collection_rid, row]))
  const byId = new Map(rows.map(row => [row.collection_id, row]))
  const named = new Map<string, CollectionEntry>()
  const inOrder = [...entries].sort((a, b) => (a.collection_id < b.collection_id ? -1 : 1))
  for (const entry of inOrder) {
    const known = byId.get(entry.collection_id)
    const rid = known && (canonical.get(known.collection_rid) ?? known.collection_rid)
    const collection_id = rid === undefined ? entry.collection_id : byRid.get(rid)?.collection_id
    if (collection_id === undefined) continue
    const other = named.get(collection_id)
    if (other === undefined) named.set(collection_id, entry)
    else named.set(collection_id, entry.collection_id === collection_id ? entry : other)
  }
  return [...named].map(([collection_id, entry]) => ({ ...entry, collection_id }))
}
