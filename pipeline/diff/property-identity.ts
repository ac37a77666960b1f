import type { PropertyEntry } from '../model/documents/index.ts'
import type { PropertyRow } from '../model/rows.ts'
import { toIdentifierKey } from '../resolve/identifiers.ts'

/** Unmatched properties beyond which a shared identifier, or slug and type, no longer tells them apart. */
const SHARED_FEATURE_MAX = 200

type Facts = Pick<PropertyEntry, 'property_type' | 'identifiers'> & {
  property_id?: string | null
}

/** An entry or a row, with the facts by which it can be recognised. */
interface Known<Item> {
  item: Item
  facts: string
  keys: ReadonlySet<string>
}

interface Pair {
  entry: Known<PropertyEntry>
  row: Known<PropertyRow>
  score: number
}

/**
 * Gives every entry of a publisher its property_rid: the one of a known property of the same publisher that
 * has the same facts, else of one that shares an identifier (most shared first, the same slug, type and an
 * active status breaking ties), else of one with the same slug and type, else a fresh one. A rid is assigned
 * once; equal entries share it. Neither the order of the entries nor that of the known properties matters.
 *
 * `aliases` leads from rids that were merged to what they were merged into: an entry that is recognised by
 * such a row gets that rid, and as many entries may share it as rows were merged.
 */
export function assignRids(
  known: readonly PropertyRow[],
  entries: readonly PropertyEntry[],
  mint: () => string,
  aliases: ReadonlyMap<string, string> = new Map(),
): string[] {
  const all = entries.map(toKnown)
  const fresh = new Map(all.map(entry => [entry.facts, entry]))
  const assigned = new Map<string, string>()
  const capacities = countCapacities(known, aliases)
  const assign = ({ item }: Known<PropertyRow>, facts: string) => {
    const rid = aliases.get(item.property_rid) ?? item.property_rid
    const remaining = capacities.get(rid) ?? 0
    if (remaining === 0 || assigned.has(facts)) return
    capacities.set(rid, remaining - 1)
    assigned.set(facts, rid)
  }
  const rows = [...known].sort(compareByActivityAndAge).map(toKnown)
  const exact = rows.filter(row => fresh.has(row.facts))
  for (const row of exact) assign(row, row.facts)
  const open = rows.filter(
    ({ item }) => (capacities.get(aliases.get(item.property_rid) ?? item.property_rid) ?? 0) > 0,
  )
  const unknown = [...fresh.values()].filter(({ facts }) => !assigned.has(facts))
  for (const { row, entry } of pairCandidates(open, unknown)) assign(row, entry.facts)
  return all.map(({ facts }) => {
    const rid = assigned.get(facts) ?? mint()
    assigned.set(facts, rid)
    return rid
  })
}

/** Counts how many entries may get each rid. */
function countCapacities(known: readonly PropertyRow[], aliases: ReadonlyMap<string, string>) {
  const capacities = new Map<string, number>()
  for (const { property_rid } of known) {
    const rid = aliases.get(property_rid) ?? property_rid
    capacities.set(rid, (capacities.get(rid) ?? 0) + 1)
  }
  return capacities
}

/**
 * Builds the key of the facts shared by an entry and a row, independent of the order and the spelling
 * of identifiers.
 */
export function toFactsKey({ property_type, property_id, identifiers }: Facts): string {
  const keys = [...new Set(identifiers.map(toIdentifierKey))].sort()
  return [property_type, property_id ?? '', ...keys].join('\n')
}

function toKnown<Item extends Facts>(item: Item): Known<Item> {
  return { item, facts: toFactsKey(item), keys: new Set(item.identifiers.map(toIdentifierKey)) }
}

/** Pairs each row with every entry that shares an identifier, or slug and type, with it; best first. */
function pairCandidates(
  rows: readonly Known<PropertyRow>[],
  entries: readonly Known<PropertyEntry>[],
): Pair[] {
  const byFeature = new Map<string, Known<PropertyRow>[]>()
  for (const row of rows) {
    for (const feature of listFeatures(row)) {
      const same = byFeature.get(feature)
      if (same) same.push(row)
      else byFeature.set(feature, [row])
    }
  }
  const pairs = entries.flatMap(entry => {
    const lists = listFeatures(entry).map(feature => byFeature.get(feature) ?? [])
    const candidates = new Set(
      lists.flatMap(list => (list.length > SHARED_FEATURE_MAX ? [] : list)),
    )
    return [...candidates].map((row): Pair => ({ entry, row, score: scorePair(entry, row) }))
  })
  return pairs.sort(
    (a, b) =>
      b.score - a.score ||
      a.row.keys.size + a.entry.keys.size - b.row.keys.size - b.entry.keys.size ||
      compareTexts(a.row.item.property_rid, b.row.item.property_rid) ||
      compareTexts(a.entry.facts, b.entry.facts),
  )
}

function listFeatures({ item, keys }: Known<Facts>): string[] {
  const { property_id, property_type } = item
  return property_id ? [...keys, `${property_id}\n${property_type}`] : [...keys]
}

function scorePair(entry: Known<PropertyEntry>, row: Known<PropertyRow>): number {
  const shared = [...entry.keys].filter(key => row.keys.has(key)).length
  const slug =
    entry.item.property_id !== undefined && entry.item.property_id === row.item.property_id
  const type = entry.item.property_type === row.item.property_type
  const active = row.item.status === 'active'
  return shared * 8 + (slug ? 4 : 0) + (type ? 2 : 0) + (active ? 1 : 0)
}

function compareByActivityAndAge(a: PropertyRow, b: PropertyRow): number {
  const active = Number(b.status === 'active') - Number(a.status === 'active')
  return active || compareTexts(a.property_rid, b.property_rid)
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
