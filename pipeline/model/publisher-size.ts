import type { PropertyEntry } from './documents/index.ts'

/**
 * Largest size of a publisher: its properties, collections and grants, each a row and an event, and
 * the identifiers that its properties are found by. All of it is held in memory when any of it
 * changes.
 */
export const PUBLISHER_MAX = 25_000
/** Properties that are known of a publisher in all: one that its file drops stays known, and a file may name others each night. */
export const PROPERTIES_KEPT_MAX = 100_000
/** Longer ones would not fit into a page of the feed, which tells what identifies a property twice. */
export const RECORD_CHARS_MAX = 256 * 1024

/** A property is found by each of its identifiers, which costs less than a row. */
const IDENTIFIER_WEIGHT = 0.5

interface Publisher {
  properties: readonly Pick<PropertyEntry, 'identifiers'>[]
  grants: number
  collections: number
}

/** Weighs what a file says of one publisher. */
export function weighPublisher({ properties, grants, collections }: Publisher): number {
  let identifiers = 0
  for (const property of properties) identifiers += property.identifiers.length - 1
  return properties.length + grants + collections + identifiers * IDENTIFIER_WEIGHT
}
