import type { PropertyEntry } from './documents/index.ts'

/**
 * Largest size of a publisher: its properties, collections and grants, each a row and an event, and
 * the identifiers that its properties are found by. All of it is held in memory when any of it
 * changes.
 */
export const PUBLISHER_MAX = 25_000
/**
 * All known properties of a publisher: one that its file drops stays known, and a file may name others each
 * night.
 */
export const PROPERTIES_KEPT_MAX = 100_000
/**
 * Maximum characters of a record: a longer one would not fit into a page of the feed, where its identifiers
 * occur twice.
 */
export const RECORD_CHARS_MAX = 256 * 1024

/** Weight of an identifier: each one is an index entry, which costs less than a row. */
const IDENTIFIER_WEIGHT = 0.5

interface Publisher {
  properties: readonly Pick<PropertyEntry, 'identifiers'>[]
  grants: number
  collections: number
}

/** Weighs the content of a file about one publisher. */
export function weighPublisher({ properties, grants, collections }: Publisher): number {
  let identifiers = 0
  for (const property of properties) identifiers += property.identifiers.length - 1
  return properties.length + grants + collections + identifiers * IDENTIFIER_WEIGHT
}
