import type { Instant } from '../core/clock.ts'
import type { AgentEntry } from '../model/documents/index.ts'

type Window = Pick<AgentEntry, 'effective_from' | 'effective_until'>

/** Tells whether an entry is in effect: both ends of its window belong to it. */
export function isInForce({ effective_from: from, effective_until: until }: Window, now: Instant) {
  const hasBegun = from === undefined || Date.parse(from) <= now
  return hasBegun && (until === undefined || now <= Date.parse(until))
}

/** Lists the boundaries of a window: its first instant, and the first after it. */
export function listBoundaries({
  effective_from: from,
  effective_until: until,
}: Window): Instant[] {
  return [
    ...(from === undefined ? [] : [Date.parse(from)]),
    ...(until === undefined ? [] : [Date.parse(until) + 1]),
  ]
}
