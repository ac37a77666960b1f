import type { Reader } from '../reader.ts'

/**
 * Resolves the rid of a property or a collection to the one it was merged into, or to itself, whether it is
 * known or not. Takes one step, since no rid leads to an alias.
 */
export function resolveRid(reader: Reader, rid: string): string {
  const key = rid.toLowerCase()
  return reader.serving?.get('alias', key)?.toString() ?? key
}
