import type { Instant } from '../core/clock.ts'
import type { Domain } from '../core/domain.ts'
import type { AgentEntry, PropertyEntry } from '../model/documents.ts'
import type { Grant } from './publisher.ts'
import { hasId, hasTag, selectorReaches } from './selection.ts'
import { isInForce } from './window.ts'

/**
 * What the entries of a file grant of one publisher: of those of its properties that the file lists,
 * and of those that entries bring along, which are added to them. An entry that reaches nothing
 * grants nothing.
 */
export function grantsOf(
  domain: Domain,
  agents: readonly AgentEntry[],
  listed: PropertyEntry[],
  isCounted: (entry: PropertyEntry) => boolean,
  now: Instant,
): { properties: PropertyEntry[]; grants: Grant[] } {
  const properties = [...listed]
  const grants = agents.flatMap(entry => {
    const inline = (entry.properties ?? []).filter(isCounted)
    const first = properties.length
    if (entry.authorization_type === 'inline_properties') properties.push(...inline)
    const reaches =
      entry.authorization_type === 'inline_properties'
        ? inline.map((_, index) => first + index)
        : indexesOf(listed, property => selects(entry, property, domain))
    const in_force = isInForce(entry, now)
    return reaches.length > 0 || grantsSignals(entry) ? [{ entry, reaches, in_force }] : []
  })
  return { properties, grants }
}

function indexesOf(entries: PropertyEntry[], wanted: (entry: PropertyEntry) => boolean): number[] {
  return entries.flatMap((entry, index) => (wanted(entry) ? [index] : []))
}

/** Signals are the own of the domain whose file grants them. */
export function isOfSignals({ authorization_type: type }: AgentEntry): boolean {
  return type === 'signal_ids' || type === 'signal_tags'
}

function grantsSignals({ authorization_type, signal_ids, signal_tags }: AgentEntry): boolean {
  if (authorization_type === 'signal_ids') return (signal_ids ?? []).length > 0
  return authorization_type === 'signal_tags' && (signal_tags ?? []).length > 0
}

/** Whether an entry's selector reaches a property. A missing selector reaches nothing. */
function selects(entry: AgentEntry, property: PropertyEntry, domain: Domain): boolean {
  switch (entry.authorization_type) {
    case 'property_ids':
      return hasId(entry.property_ids, property)
    case 'property_tags':
      return hasTag(entry.property_tags, property)
    case 'publisher_properties':
      return (entry.publisher_properties ?? []).some(
        selector =>
          selector.publisher_domains.includes(domain) && selectorReaches(selector, property),
      )
    default:
      return false
  }
}
