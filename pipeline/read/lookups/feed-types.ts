import { type EventType, eventTypeNames } from '../../model/event.ts'

const PATTERN = /^[a-z*][a-z0-9_.*]{0,63}$/

/** Tells whether a filter is well formed: an event type with `*` for any characters anywhere. */
export function isTypeFilter(filter: string): boolean {
  return PATTERN.test(filter)
}

/** Matches filters against the event types, in the order of the table. */
export function matchTypes(filters: readonly string[]): EventType[] {
  const globs = filters.map(filter => filter.split(/\*+/))
  return eventTypeNames.filter(name => globs.some(parts => isMatch(parts, name)))
}

/** Tells whether the parts between the stars occur in this order, the first at the start, the last at the end. */
function isMatch(parts: readonly string[], name: string): boolean {
  const [first = ''] = parts
  const last = parts.at(-1) ?? ''
  if (parts.length === 1) return name === first
  if (!name.startsWith(first) || !name.endsWith(last)) return false
  let at = first.length
  for (const part of parts.slice(1, -1)) {
    const found = name.indexOf(part, at)
    if (found === -1) return false
    at = found + part.length
  }
  return at <= name.length - last.length
}
