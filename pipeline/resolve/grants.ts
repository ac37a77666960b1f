import type { Instant } from '../core/clock.ts'
import type { Domain } from '../core/domain.ts'
import type { AgentEntry, PropertyEntry } from '../model/documents/index.ts'
import { Selectable, uniteSorted } from '../model/selection.ts'
import type { Grant } from './grant.ts'
import { isInForce } from './window.ts'

/**
 * Resolves the grants of one publisher: those of its properties that the file lists, and of those
 * that entries bring along, which are added behind the `selectable` ones. An entry that reaches
 * nothing grants nothing.
 */
export function resolveGrants(
  domain: Domain,
  agents: readonly AgentEntry[],
  listed: PropertyEntry[],
  isCounted: (entry: PropertyEntry) => boolean,
  now: Instant,
): { properties: PropertyEntry[]; grants: Grant[]; selectable: number } {
  const properties = [...listed]
  const selectable = new Selectable(listed)
  const grants = agents.flatMap(entry => {
    const inline = (entry.properties ?? []).filter(isCounted)
    const first = properties.length
    if (entry.authorization_type === 'inline_properties') properties.push(...inline)
    const reaches =
      entry.authorization_type === 'inline_properties'
        ? inline.map((_, index) => first + index)
        : listSelected(entry, selectable, domain)
    const in_force = isInForce(entry, now)
    return reaches.length > 0 || isGrantingSignals(entry) ? [{ entry, reaches, in_force }] : []
  })
  return { properties, grants, selectable: listed.length }
}

function isGrantingSignals({ authorization_type, signal_ids, signal_tags }: AgentEntry): boolean {
  if (authorization_type === 'signal_ids') return (signal_ids ?? []).length > 0
  return authorization_type === 'signal_tags' && (signal_tags ?? []).length > 0
}

/** Selects the properties that an entry's selector reaches. A missing selector reaches nothing. */
function listSelected(
  { authorization_type, property_ids, property_tags, publisher_properties = [] }: AgentEntry,
  selectable: Selectable,
  domain: Domain,
): readonly number[] {
  switch (authorization_type) {
    case 'property_ids':
      return selectable.select({ selection_type: 'by_id', property_ids })
    case 'property_tags':
      return selectable.select({ selection_type: 'by_tag', property_tags })
    case 'publisher_properties': {
      const own = publisher_properties.filter(selector =>
        selector.publisher_domains.includes(domain),
      )
      return uniteSorted(own.map(selector => selectable.select(selector)))
    }
    default:
      return []
  }
}
