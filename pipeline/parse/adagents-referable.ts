import { quote } from './faults.ts'
import { isObject, type ObjectReader } from './object-reader.ts'
import {
  type Alphabet,
  joinAlternatives,
  listSpellings,
  proposeNearest,
  SLUG,
} from './suggestions.ts'

/** Names of the file that are proposed where none is near. */
const PROPOSED_MAX = 3

/** Lists of a file that entries refer to, each with the member that names an item, by the key of the reference. */
const referable = {
  property_ids: ['properties', 'property_id'],
  property_tags: ['properties', 'tags'],
  signal_ids: ['signals', 'id'],
  signal_tags: ['signals', 'tags'],
  placement_ids: ['placements', 'placement_id'],
  placement_tags: ['placements', 'tags'],
} as const

export type Nameable = keyof typeof referable
export const nameables = Object.keys(referable) as Nameable[]

/** Names that references may have, by file: many faults of a long one ask for them. */
const listed = new WeakMap<ObjectReader, Map<Nameable, ReadonlySet<string>>>()

/** Lists the names that references of a kind may have. Items that are left out count: their own fault is reported. */
export function listReferable(root: ObjectReader, key: Nameable): ReadonlySet<string> {
  const ofFile = listed.get(root) ?? new Map<Nameable, ReadonlySet<string>>()
  listed.set(root, ofFile)
  const [list, member] = referable[key]
  const known =
    ofFile.get(key) ??
    new Set(
      listItems(root, list).flatMap(item =>
        isObject(item) ? (readNames([item[member]].flat()) ?? []) : [],
      ),
    )
  ofFile.set(key, known)
  return known
}

function listItems({ value }: ObjectReader, list: string): readonly unknown[] {
  return Array.isArray(value[list]) ? value[list] : []
}

/** Reads the names of a list; undefined if it is none. */
export function readNames(value: unknown): string[] | undefined {
  if (!Array.isArray(value)) return undefined
  const names = value.flatMap(name => (typeof name === 'string' ? name.trim() || [] : []))
  return [...new Set(names)]
}

export function toNoun(key: string): string {
  const [noun = '', by] = key.split('_')
  return by === 'ids' ? noun : `${noun} tag`
}

/** Proposes the names that the file has, as the end of a message; empty if there are none. */
export function proposeAny(known: ReadonlySet<string>): string {
  const names = [...known].slice(0, PROPOSED_MAX)
  return names.length === 0
    ? ''
    : `: name ${known.size > PROPOSED_MAX ? 'one such as ' : ''}${joinAlternatives(names)}`
}

/**
 * Builds what the IDs of properties may be made of, in a file that has some: what is none may be the identifier of a
 * property, or an ID in another spelling.
 */
export function buildPropertyIds(root: ObjectReader): Alphabet {
  const propose = (name: string) => {
    const there = listReferable(root, 'property_ids')
    // A property whose ID is written so gets the same spelling.
    if (there.has(name)) return ''
    const known = new Set([...there].filter(id => SLUG.pattern.test(id)))
    const id = findIdentified(root, name) ?? listSpellings(name).find(each => known.has(each))
    return id === undefined
      ? proposeNearest(name, known) || proposeAny(known)
      : `: write ${quote(id)}`
  }
  return { ...SLUG, propose }
}

/** Finds the ID of the property with an identifier. */
function findIdentified(root: ObjectReader, value: string): string | undefined {
  const isMeant = (item: unknown) => isObject(item) && item.value === value
  const ids = listItems(root, 'properties').flatMap(item =>
    isObject(item) && Array.isArray(item.identifiers) && item.identifiers.some(isMeant)
      ? (readNames([item.property_id]) ?? [])
      : [],
  )
  return ids.find(id => SLUG.pattern.test(id))
}

/**
 * Proposes, as the end of a message, to name an item of the file so that a list can refer to it; empty if the file
 * has such names, or items whose names have faults of their own, and for lists that refer to none.
 */
export function proposeNaming(root: ObjectReader, key: string, name?: string): string {
  if (!isNameable(key) || listReferable(root, key).size > 0) return ''
  const [list, member] = referable[key]
  const [noun] = toNoun(key).split(' ')
  const items = listItems(root, list)
  const called = member === 'tags' ? 'tag' : member
  const named =
    name === undefined
      ? `${called === 'id' ? 'an' : 'a'} ${called}`
      : `the ${called} ${quote(name)}`
  if (items.length === 0) return `: add a ${noun} with ${named}`
  const unnamed = items.flatMap((item, index) =>
    isObject(item) && [item[member] ?? []].flat().length === 0 ? [index] : [],
  )
  if (unnamed.length === 0) return ''
  const place = unnamed.length === 1 ? `${list}[${unnamed[0]}]` : `the ${noun} you mean`
  return `: add ${named} to ${place}`
}

function isNameable(key: string): key is Nameable {
  return Object.hasOwn(referable, key)
}
