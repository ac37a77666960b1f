import type { Identifier } from '../../model/documents.ts'
import { lookupKeys } from '../../resolve/identifiers.ts'
import type { Reader } from '../reader.ts'
import type { ServingStore } from '../serving.ts'
import { elsewhereKey, hashOf } from '../serving-keys.ts'
import { type Pair, readNamed } from '../serving-names.ts'
import { findInventory, type StockedProperty } from './inventory.ts'
import { SinceCommit } from './since-commit.ts'

/** Properties that one identifier may lead to; some types of identifier name a kind, not a thing. */
const MOST = 2_000

/** A property that an identifier names, and the publishers whose grants may reach it. */
export interface Candidate {
  property: StockedProperty
  /** Its owner, and those whose properties were merged into it. */
  publishers: readonly string[]
}

export interface Candidates {
  found: Candidate[]
  /** There are more than were looked at. */
  truncated: boolean
}

/** The active properties that an identifier names; one that was merged is part of another by now. */
export function candidatesOf(reader: Reader, asked: Identifier): Candidates {
  const places = placesOf(reader, asked)
  const found = places.flatMap(place => {
    const property = propertyAt(reader, place)
    return property ? [{ property, publishers: place.publishers }] : []
  })
  return { found, truncated: places.length >= MOST }
}

/** The property at a place, while it is active. */
export function propertyAt(reader: Reader, { rid, owner }: Place): StockedProperty | undefined {
  const property = findInventory(reader, owner)?.property(rid)
  return property?.is_active ? property : undefined
}

/** Where a property stands, and the publishers whose grants may reach it. */
export interface Place extends Pair {
  publishers: readonly string[]
}

/** Where the active properties stand that an identifier names. */
export function placesOf({ serving: store }: Reader, asked: Identifier): Place[] {
  if (store === undefined) return []
  const owners = new Map<string, string>()
  for (const key of new Set(lookupKeys(asked))) {
    for (const { rid, owner } of pairsOf(store, hashOf(key), MOST - owners.size)) {
      owners.set(rid, owner)
    }
  }
  const { hasAliases } = store
  return [...owners].map(([rid, owner]) => ({
    rid,
    owner,
    publishers: hasAliases ? [owner, ...grantersOf(store, rid)].sort() : [owner],
  }))
}

/** Other publishers whose grants reach a property, because theirs was merged into it. */
function grantersOf(store: ServingStore, rid: string): string[] {
  const [name] = elsewhereKey(rid, '').split(' ')
  return pairsOf(store, name!, MOST).map(pair => pair.rid)
}

const KNOWN_BYTES = 8 * 1024 * 1024
const PAIR_BYTES = 200
/** What many properties are found under is read once a commit. */
const known = new SinceCommit<Pair[]>(KNOWN_BYTES, pairs => PAIR_BYTES * (1 + pairs.length))

function pairsOf(store: ServingStore, name: string, limit: number): readonly Pair[] {
  const value = store.text('named', name)
  if (value === undefined) return []
  const few = readNamed(value)
  if (few !== undefined) return few.slice(0, limit)
  const all = known.get(store, name, () =>
    [...store.range('identifier', name, { limit: MOST })].map(({ key, value }) => ({
      rid: key.slice(key.indexOf(' ') + 1),
      owner: value.toString('latin1'),
    })),
  )
  return all.slice(0, limit)
}
