import { type Instant, toIso } from '../core/clock.ts'
import type { AdagentsDocument, BeforePointer } from '../model/documents/index.ts'

type Pointer = Extract<AdagentsDocument, { variant: 'pointer' }>

/** Former targets of a pointer that are remembered. */
const LOCATIONS_MAX = 3

/** Remembers which document counted before a file became a pointer, or pointed elsewhere (resolve/publisher.ts). */
export function carryPointer(
  old: AdagentsDocument | undefined,
  fresh: Pointer,
  observedAt: Instant,
): Pointer {
  const before = old && carryBefore(old, fresh, observedAt)
  return before === undefined ? fresh : { ...fresh, before }
}

function carryBefore(
  old: AdagentsDocument,
  fresh: Pointer,
  observedAt: Instant,
): BeforePointer | undefined {
  if (old.variant === 'inline') {
    return { authoritative_locations: [], document: old, replaced_at: toIso(observedAt) }
  }
  const { authoritative_locations: locations, ...own } = old.before ?? {
    authoritative_locations: [],
  }
  const others = [old.authoritative_location, ...locations].filter(
    location => location !== fresh.authoritative_location,
  )
  const authoritative_locations = [...new Set(others)].slice(0, LOCATIONS_MAX)
  if (authoritative_locations.length === 0 && own.document === undefined) return undefined
  return { authoritative_locations, ...own }
}
