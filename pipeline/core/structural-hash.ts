/** Lists whose order has no meaning, in any object. */
const SETS = new Set([
  'authorized_agents',
  'properties',
  'collections',
  'placements',
  'formats',
  'signals',
  'revoked_publisher_domains',
  'property_features',
  'publisher_properties',
  'distribution',
  'signing_keys',
  'encryption_keys',
  'tags',
  'identifiers',
  'supported_channels',
  'channels',
  'countries',
  'property_ids',
  'property_tags',
  'collection_ids',
  'placement_ids',
  'placement_tags',
  'signal_ids',
  'signal_tags',
  'publisher_domains',
  'applies_to_property_ids',
  'applies_to_property_tags',
  'features',
])
const SEEDS = [0x2545f491, 0x9e3779b9] as const
/** Version of the scheme; incremented when equal values would hash differently than before. */
const SCHEME = '2.'

/**
 * Hashes a value to 64 bits, as 16 hex digits after the number of the scheme: equal for values that differ
 * only in the order of keys, or of lists that are sets. The value must be a tree of bounded depth.
 */
export function hashStructure(value: unknown): string {
  const parts = SEEDS.map(seed =>
    (finish(hashValue(value, seed)) >>> 0).toString(16).padStart(8, '0'),
  )
  return SCHEME + parts.join('')
}

/**
 * Tells whether two short hashes are of one scheme; hashes of different schemes show no difference.
 */
export function isComparable(first: string, other: string): boolean {
  return first.startsWith(SCHEME) === other.startsWith(SCHEME)
}

/** Hashes a list, ignoring its order. */
export function hashStructureOfSet(items: readonly unknown[]): string {
  return hashStructure(items.map(hashStructure).sort())
}

/**
 * Hashes a value. Members of objects and sets are added up, so their order does not count; items of a list
 * are chained.
 */
function hashValue(value: unknown, seed: number): number {
  if (typeof value === 'string') return hashText(value, seed ^ 1)
  if (typeof value !== 'object' || value === null) return hashText(String(value), seed ^ 2)
  if (Array.isArray(value)) {
    let hash = seed ^ 3
    for (const item of value) hash = Math.imul(finish(hash) ^ hashValue(item, seed), 0x01000193)
    return hash
  }
  let hash = seed ^ 4
  for (const key in value) {
    const member = (value as Record<string, unknown>)[key]
    const isSet = SETS.has(key) && Array.isArray(member)
    const mixed = isSet ? hashSet(member, seed ^ 5) : hashValue(member, seed ^ 5)
    hash = (hash + finish(hashText(key, seed) ^ mixed)) | 0
  }
  return hash
}

function hashSet(items: readonly unknown[], seed: number): number {
  return items.reduce((hash: number, item) => (hash + finish(hashValue(item, seed))) | 0, seed ^ 6)
}

function hashText(text: string, seed: number): number {
  let hash = seed ^ text.length
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x5bd1e995)
  return finish(hash)
}

function finish(hash: number): number {
  const high = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  const low = Math.imul(high ^ (high >>> 13), 0xc2b2ae35)
  return low ^ (low >>> 16)
}
