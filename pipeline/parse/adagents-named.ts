import type { AcceptedLists } from './accepted-items.ts'
import {
  listReferable,
  type Nameable,
  nameables,
  proposeAny,
  proposeNaming,
  readNames,
  toNoun,
} from './adagents-referable.ts'
import { quote } from './faults.ts'
import { isObject, ObjectReader, optional } from './object-reader.ts'
import { type Alphabet, proposeNearest, SIGNAL_ID, SIGNAL_TAG, SLUG } from './suggestions.ts'

/** Checks that what entries and placements name is in the file. */
export function checkNamed(root: ObjectReader, accepted: AcceptedLists): void {
  checkEntries(root, accepted)
  checkPlacements(root, accepted)
}

function checkEntries(root: ObjectReader, accepted: AcceptedLists): void {
  for (const part of listEntries(root, accepted)) {
    for (const key of nameables) {
      const references = readNames(part.value[key])
      const type = part.value.authorization_type ?? key
      if (references === undefined || !(key.startsWith('placement') || type === key)) continue
      checkUnresolved(part, key, {
        root,
        names: references,
        known: listReferable(root, key),
        ...optional('effect', effects[key]),
      })
    }
  }
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

function checkPlacements(root: ObjectReader, { placements }: AcceptedLists): void {
  if (placements.length === 0) return
  const ids = listReferable(root, 'property_ids')
  for (const { part, item } of placements) {
    checkUnresolved(part, 'property_ids', { root, names: item.property_ids ?? [], known: ids })
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
  root: ObjectReader
  names: readonly string[]
  known: ReadonlySet<string>
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
  key: Nameable,
  { root, names, known, effect }: Named,
): void {
  // A name that no id can have was reported where it was read.
  const alphabet = alphabets[key]
  const missing = names.filter(name => !known.has(name) && (alphabet?.pattern.test(name) ?? true))
  const [first] = missing
  if (first === undefined) return
  const isVain = effect !== undefined && !names.some(name => known.has(name))
  part.warn(key, isVain ? 'without_effect' : 'unresolved', () => {
    const meant =
      proposeNearest(first, known) || proposeAny(known) || proposeNaming(root, key, first)
    return `names ${formatNames(missing)}, but the file has no such ${toNoun(key)}${isVain ? `, so ${effect}` : ''}${meant}`
  })
}

/** Formats `a, b and c`. */
const wordList = new Intl.ListFormat('en-GB')

/** Quotes the first names of a list, and counts the others. */
export function formatNames(names: readonly string[]): string {
  const more = names.length > 3 ? [`${names.length - 3} more`] : []
  return wordList.format([...names.slice(0, 3).map(quote), ...more])
}
