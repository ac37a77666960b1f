import type { Identifier } from '../../model/documents.ts'
import { lookupKeys } from '../../resolve/identifiers.ts'
import type { Reader } from '../reader.ts'
import type { ServingStore } from '../serving.ts'
import { elsewhereKey, hashOf } from '../serving-keys.ts'
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
  const store = reader.serving
  if (store === undefined) return { found: [], truncated: false }
  const { type, value } = asked
  const places = known.get(store, `${type.length} ${type} ${value}`, () => placesOf(store, asked))
  const found = places.flatMap(({ rid, owner, publishers }) => {
    const property = findInventory(reader, owner)?.property(rid)
    return property?.is_active ? [{ property, publishers }] : []
  })
  return { found, truncated: places.length >= MOST }
}

/** Where a property stands, and the publishers whose grants may reach it. */
interface Place {
  rid: string
  owner: string
  publishers: string[]
}

const KNOWN_BYTES = 8 * 1024 * 1024
const PLACE_BYTES = 300
/** Finding them is a search for each name above a domain and for each property, most of them in vain. */
const known = new SinceCommit<readonly Place[]>(
  KNOWN_BYTES,
  places => PLACE_BYTES * (1 + places.length),
)

function placesOf(store: ServingStore, asked: Identifier): Place[] {
  return [...ownersOf(store, asked)].map(([rid, owner]) => ({
    ...{ rid, owner },
    publishers: [owner, ...grantersOf(store, rid)].sort(),
  }))
}

function ownersOf(store: ServingStore, asked: Identifier): Map<string, string> {
  const owners = new Map<string, string>()
  for (const key of new Set(lookupKeys(asked))) {
    const range = store.range('identifier', hashOf(key), { limit: MOST - owners.size })
    for (const { key: found, value } of range) owners.set(lastOf(found), value.toString('latin1'))
  }
  return owners
}

/** Other publishers whose grants reach a property, because theirs was merged into it. */
function grantersOf(store: ServingStore, rid: string): string[] {
  if (!store.hasAliases) return []
  const [prefix] = elsewhereKey(rid, '').split(' ')
  return [...store.range('identifier', prefix!, { limit: MOST })].map(({ key }) => lastOf(key))
}

function lastOf(key: string): string {
  return key.slice(key.indexOf(' ') + 1)
}
