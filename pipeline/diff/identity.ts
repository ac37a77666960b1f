import type { PropertyEntry } from '../model/documents.ts'
import type { PropertyRow } from '../model/rows.ts'
import { identifierKey } from '../resolve/identifiers.ts'

/** An identifier that more properties without a match have than this tells none of them apart. */
const COMMON = 200

type Facts = Pick<PropertyEntry, 'property_type' | 'identifiers'> & {
  property_id?: string | null
}

/** An entry, or a row, by what it can be recognised from. */
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
 * Gives every entry of a publisher its property_rid: the one of a known property of the same
 * publisher that has the same facts, else of one that shares an identifier (most shared first, the
 * same slug, type and an active status breaking ties), else of one with the same slug and type, else
 * a fresh one. A rid is given once; equal entries share it. Neither the order of the entries nor
 * that of the known properties matters.
 *
 * `aliases` leads from rids that were merged to what they were merged into: an entry that is
 * recognised by such a row gets that rid, and as many entries may share it as rows were merged.
 */
export function identify(
  known: readonly PropertyRow[],
  entries: readonly PropertyEntry[],
  mint: () => string,
  aliases: ReadonlyMap<string, string> = new Map(),
): string[] {
  const all = entries.map(knownOf)
  const fresh = new Map(all.map(entry => [entry.facts, entry]))
  const given = new Map<string, string>()
  const places = placesOf(known, aliases)
  const give = ({ item }: Known<PropertyRow>, facts: string) => {
    const rid = aliases.get(item.property_rid) ?? item.property_rid
    const left = places.get(rid)!
    if (left === 0 || given.has(facts)) return
    places.set(rid, left - 1)
    given.set(facts, rid)
  }
  const rows = [...known].sort(activeAndOldestFirst).map(knownOf)
  const exact = rows.filter(row => fresh.has(row.facts))
  for (const row of exact) give(row, row.facts)
  const open = rows.filter(
    ({ item }) => places.get(aliases.get(item.property_rid) ?? item.property_rid)! > 0,
  )
  const unknown = [...fresh.values()].filter(({ facts }) => !given.has(facts))
  for (const { row, entry } of pairsOf(open, unknown)) give(row, entry.facts)
  return all.map(({ facts }) => {
    const rid = given.get(facts) ?? mint()
    given.set(facts, rid)
    return rid
  })
}

/** How many entries may get a rid. */
function placesOf(known: readonly PropertyRow[], aliases: ReadonlyMap<string, string>) {
  const places = new Map<string, number>()
  for (const { property_rid } of known) {
    const rid = aliases.get(property_rid) ?? property_rid
    places.set(rid, (places.get(rid) ?? 0) + 1)
  }
  return places
}

/** What is the same in an entry and in a row, whatever the order and the spelling of identifiers. */
export function factsKey({ property_type, property_id, identifiers }: Facts): string {
  const keys = [...new Set(identifiers.map(identifierKey))].sort()
  return [property_type, property_id ?? '', ...keys].join('\n')
}

function knownOf<Item extends Facts>(item: Item): Known<Item> {
  return { item, facts: factsKey(item), keys: new Set(item.identifiers.map(identifierKey)) }
}

/** Every row with every entry that it has an identifier, or slug and type, in common with; best first. */
function pairsOf(
  rows: readonly Known<PropertyRow>[],
  entries: readonly Known<PropertyEntry>[],
): Pair[] {
  const marks = new Map<string, Known<PropertyRow>[]>()
  for (const row of rows) {
    for (const mark of marksOf(row)) {
      const same = marks.get(mark)
      if (same) same.push(row)
      else marks.set(mark, [row])
    }
  }
  const pairs = entries.flatMap(entry => {
    const lists = marksOf(entry).map(mark => marks.get(mark) ?? [])
    const alike = new Set(lists.flatMap(list => (list.length > COMMON ? [] : list)))
    return [...alike].map((row): Pair => ({ entry, row, score: scoreOf(entry, row) }))
  })
  return pairs.sort(
    (a, b) =>
      b.score - a.score ||
      a.row.keys.size + a.entry.keys.size - b.row.keys.size - b.entry.keys.size ||
      inOrder(a.row.item.property_rid, b.row.item.property_rid) ||
      inOrder(a.entry.facts, b.entry.facts),
  )
}

function marksOf({ item, keys }: Known<Facts>): string[] {
  const { property_id, property_type } = item
  return property_id ? [...keys, `${property_id}\n${property_type}`] : [...keys]
}

function scoreOf(entry: Known<PropertyEntry>, row: Known<PropertyRow>): number {
  const shared = [...entry.keys].filter(key => row.keys.has(key)).length
  const slug =
    entry.item.property_id !== undefined && entry.item.property_id === row.item.property_id
  const type = entry.item.property_type === row.item.property_type
  const active = row.item.status === 'active'
  return shared * 8 + (slug ? 4 : 0) + (type ? 2 : 0) + (active ? 1 : 0)
}

function activeAndOldestFirst(a: PropertyRow, b: PropertyRow): number {
  const active = Number(b.status === 'active') - Number(a.status === 'active')
  return active || inOrder(a.property_rid, b.property_rid)
}

function inOrder(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
