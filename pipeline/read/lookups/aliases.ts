import type { Reader } from '../reader.ts'

/**
 * The rid that answers for a property's or a collection's rid: the one it was merged into, or
 * itself, whether it is known or not. One step always, as no rid leads to an alias.
 */
export function resolveRid(reader: Reader, rid: string): string {
  const key = rid.toLowerCase()
  return reader.serving?.get('alias', key)?.toString() ?? key
}
