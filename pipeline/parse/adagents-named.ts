import type { AcceptedLists } from './accepted-items.ts'
import { quote } from './faults.ts'
import { isObject, ObjectReader, optional } from './object-reader.ts'
import {
  type Alphabet,
  joinAlternatives,
  proposeNearest,
  SIGNAL_ID,
  SIGNAL_TAG,
  SLUG,
} from './suggestions.ts'

/** Names of the file that are proposed where none is near. */
const PROPOSED_MAX = 3

/** Checks that what entries and placements name is in the file. */
export function checkNamed(root: ObjectReader, accepted: AcceptedLists): void {
  checkEntries(root, accepted)
  checkPlacements(root, accepted)
}

/** Lists of a file that entries refer to, each with the member that names an item, by the key of the reference. */
const referable = {
  property_ids: ['properties', 'property_id'],
  property_tags: ['properties', 'tags'],
  signal_ids: ['signals', 'id'],
  signal_tags: ['signals', 'tags'],
  placement_ids: ['placements', 'placement_id'],
  placement_tags: ['placements', 'tags'],
} as const

type Nameable = keyof typeof referable
const nameables = Object.keys(referable) as Nameable[]

function checkEntries(root: ObjectReader, accepted: AcceptedLists): void {
  const known = new Map<Nameable, Set<string>>()
  for (const part of listEntries(root, accepted)) {
    for (const key of nameables) {
      const references = readNames(part.value[key])
      const type = part.value.authorization_type ?? key
      if (references === undefined || !(key.startsWith('placement') || type === key)) continue
      const there = known.get(key) ?? listReferable(root, key)
      known.set(key, there)
      checkUnresolved(part, key, {
        names: references,
        known: there,
        noun: toNoun(key),
        ...optional('effect', effects[key]),
      })
    }
  }
}

/** Lists the names that references of a kind may have. Items that are left out count: their own fault is reported. */
function listReferable(root: ObjectReader, key: Nameable): Set<string> {
  const [list, member] = referable[key]
  const items = root.value[list]
  if (!Array.isArray(items)) return new Set()
  return new Set(
    items.flatMap(item => (isObject(item) ? (readNames([item[member]].flat()) ?? []) : [])),
  )
}

/** Lists the entries of agents; those that are left out too, so that all their faults are told at once. */
function listEntries(root: ObjectReader, { agents }: AcceptedLists): ObjectReader[] {
  const accepted = new Map(agents.map(({ part }) => [part.index, part]))
  const list = root.value.authorized_agents
  if (!Array.isArray(list)) return [...accepted.values()]
  return list.flatMap((entry, index) => {
    const part = accepted.get(index)
    if (part !== undefined) return [part]
    const path = `authorized_agents[${index}]`
    return isObject(entry) ? [new ObjectReader(entry, path, root.faults, index)] : []
  })
}

function readNames(value: unknown): string[] | undefined {
  if (!Array.isArray(value)) return undefined
  const names = value.flatMap(name => (typeof name === 'string' ? name.trim() || [] : []))
  return [...new Set(names)]
}

function toNoun(key: string): string {
  const [noun = '', by] = key.split('_')
  return by === 'ids' ? noun : `${noun} tag`
}

function checkPlacements(root: ObjectReader, { placements }: AcceptedLists): void {
  if (placements.length === 0) return
  const ids = listReferable(root, 'property_ids')
  for (const { part, item } of placements) {
    checkUnresolved(part, 'property_ids', {
      names: item.property_ids ?? [],
      known: ids,
      noun: 'property',
    })
  }
}

/** Consequences for an entry that selects by names of which the file has none. */
const effects: Readonly<Record<string, string | undefined>> = {
  property_ids: 'this entry does not let the agent sell anything',
  property_tags: 'this entry does not let the agent sell anything',
  signal_ids: 'this entry authorizes no signal',
  signal_tags: 'this entry authorizes no signal',
}

interface Named {
  names: readonly string[]
  known: ReadonlySet<string>
  noun: string
  effect?: string
}

/** Characters that the names of a key may have; any, where none are given. */
const alphabets: Readonly<Record<string, Alphabet | undefined>> = {
  property_ids: SLUG,
  property_tags: SLUG,
  signal_ids: SIGNAL_ID,
  signal_tags: SIGNAL_TAG,
}

/**
 * Reports names that the file does not have; where `effect` is given and it has none of them, what follows for
 * the entry.
 */
function checkUnresolved(
  part: ObjectReader,
  key: string,
  { names, known, noun, effect }: Named,
): void {
  // A name that no id can have was reported where it was read.
  const alphabet = alphabets[key]
  const missing = names.filter(name => !known.has(name) && (alphabet?.pattern.test(name) ?? true))
  const [first] = missing
  if (first === undefined) return
  const isVain = effect !== undefined && !names.some(name => known.has(name))
  part.warn(key, isVain ? 'without_effect' : 'unresolved', () => {
    const meant = proposeNearest(first, known) || proposeAny(known)
    return `names ${formatNames(missing)}, but the file has no such ${noun}${isVain ? `, so ${effect}` : ''}${meant}`
  })
}

/** Proposes the names that the file has, as the end of a message; empty if there are none. */
function proposeAny(known: ReadonlySet<string>): string {
  const names = [...known].slice(0, PROPOSED_MAX).map(quote)
  return names.length === 0
    ? ''
    : `: name ${known.size > PROPOSED_MAX ? 'one such as ' : ''}${joinAlternatives(names)}`
}

/** Quotes the first names of a list, and counts the others. */
export function formatNames(names: readonly string[]): string {
  const shown = names.slice(0, 3).map(quote).join(', ')
  return names.length > 3 ? `${shown} and ${names.length - 3} more` : shown
}
