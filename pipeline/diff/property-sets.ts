import { deriveId } from '../core/uuid-v7.ts'
import type { AuthorizationRow, PropertySetRow, Reached } from '../model/rows.ts'

/**
 * Builds the set of properties that a grant reaches. Its id follows from the rids, in whatever order they
 * come.
 */
export function buildReached(publisher: string, rids: Iterable<string>): Reached {
  const property_rids = [...new Set(rids)].sort()
  return {
    property_set: property_rids.length === 0 ? null : deriveId(publisher, ...property_rids),
    property_count: property_rids.length,
    property_rids,
  }
}

/** Lists the distinct sets that these grants of one publisher reach. */
export function listPropertySets(grants: readonly AuthorizationRow[]): PropertySetRow[] {
  const sets = new Map<string, PropertySetRow>()
  for (const { property_set, publisher_domain, property_rids } of grants) {
    if (property_set === null || sets.has(property_set)) continue
    sets.set(property_set, {
      set_id: property_set,
      publisher_domain,
      property_rids: property_rids as string[],
    })
  }
  return [...sets.values()]
}

/**
 * Creates a function that applies a change to the set of a grant. Each set is computed once, so that grants
 * which shared a set share the new one.
 */
export function applyToReached(
  publisher: string,
  change: (rids: readonly string[]) => Iterable<string>,
): (before: Reached) => Reached {
  const known = new Map<string | null, Reached>()
  return ({ property_set, property_rids }) => {
    const after = known.get(property_set) ?? buildReached(publisher, change(property_rids))
    known.set(property_set, after)
    return after
  }
}
