import type { Identifier } from '../../model/documents/index.ts'
import { listLookupKeys } from '../../resolve/identifiers.ts'
import { decodePairs, type Pair } from '../../serving/identifier-index.ts'
import { hashKey, toElsewhereKey } from '../../serving/keys.ts'
import type { ServingStore } from '../../serving/lmdb.ts'
import { declareCache } from '../cache/caches.ts'
import { CommitCache } from '../cache/commit-cache.ts'
import type { Reader } from '../reader.ts'
import { findInventory, type StockedProperty } from './inventory.ts'

/** Properties to which one identifier may lead; some types of identifier name a kind, not a thing. */
const CANDIDATES_MAX = 2_000

/** A property that an identifier names, and the publishers whose grants may reach it. */
export interface Candidate {
  property: StockedProperty
  /** Its owner, and publishers whose properties were merged into it. */
  publishers: readonly string[]
}

export interface Candidates {
  found: Candidate[]
  /** True if there are more than were examined. */
  truncated: boolean
}

/** Finds the active properties that an identifier names; a merged one is part of another by now. */
export function findCandidates(reader: Reader, identifier: Identifier): Candidates {
  const places = findPropertyPlaces(reader, identifier)
  const found = places.flatMap(place => {
    const property = findProperty(reader, place)
    return property ? [{ property, publishers: place.publishers }] : []
  })
  return { found, truncated: places.length >= CANDIDATES_MAX }
}

/** Finds the property at a position, while it is active. */
export function findProperty(
  reader: Reader,
  { rid, owner }: PropertyPlace,
): StockedProperty | undefined {
  const property = findInventory(reader, owner)?.property(rid)
  return property?.is_active ? property : undefined
}

/** Location of a property, with the publishers whose grants may reach it. */
export interface PropertyPlace extends Pair {
  publishers: readonly string[]
}

/** Finds the active properties that an identifier names. */
export function findPropertyPlaces(reader: Reader, identifier: Identifier): PropertyPlace[] {
  const { serving: store } = reader
  if (store === undefined) return []
  const owners = new Map<string, string>()
  for (const key of new Set(listLookupKeys(identifier))) {
    for (const { rid, owner } of readPairs(
      reader,
      store,
      hashKey(key),
      CANDIDATES_MAX - owners.size,
    )) {
      owners.set(rid, owner)
    }
  }
  // Only merged properties can be granted by other publishers as well.
  const isMerged = store.hasAny('alias')
  return [...owners].map(([rid, owner]) => ({
    rid,
    owner,
    publishers: isMerged ? [owner, ...listGranters(reader, store, rid)].sort() : [owner],
  }))
}

/** Lists other publishers whose grants reach a property, because theirs was merged into it. */
function listGranters(reader: Reader, store: ServingStore, rid: string): string[] {
  const [name = ''] = toElsewhereKey(rid, '').split(' ')
  return readPairs(reader, store, name, CANDIDATES_MAX).map(pair => pair.rid)
}

const SHARED_NAMES_BYTES = 8 * 1024 * 1024
const PAIR_BYTES = 200
/** Pairs under names that many properties share, read once a commit. */
const sharedNames = declareCache(
  () => new CommitCache<Pair[]>(SHARED_NAMES_BYTES, pairs => PAIR_BYTES * (1 + pairs.length)),
)

function readPairs(
  reader: Reader,
  store: ServingStore,
  name: string,
  limit: number,
): readonly Pair[] {
  const value = store.text('named', name)
  if (value === undefined) return []
  const listed = decodePairs(value)
  if (listed !== undefined) return listed.slice(0, limit)
  const all = sharedNames(reader).get(store, name, () =>
    [...store.range('identifier', name, { limit: CANDIDATES_MAX })].map(({ key, value }) => ({
      rid: key.slice(key.indexOf(' ') + 1),
      owner: value.toString('latin1'),
    })),
  )
  return all.slice(0, limit)
}
