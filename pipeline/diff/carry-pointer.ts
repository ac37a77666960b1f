import type { AdagentsDocument, BeforePointer } from '../model/documents.ts'

type Pointer = Extract<AdagentsDocument, { variant: 'pointer' }>

/** Places that a file pointed to before which are remembered. */
const PLACES = 3

/** Remembers what counted before a file became a pointer, or another one (resolve/publisher.ts). */
export function carryPointer(old: AdagentsDocument | undefined, fresh: Pointer): Pointer {
  const before = old && beforeOf(old, fresh)
  return before === undefined ? fresh : { ...fresh, before }
}

function beforeOf(old: AdagentsDocument, fresh: Pointer): BeforePointer | undefined {
  if (old.variant === 'inline') return { authoritative_locations: [], document: old }
  const { document, authoritative_locations: places = [] } = old.before ?? {}
  const others = [old.authoritative_location, ...places].filter(
    place => place !== fresh.authoritative_location,
  )
  const authoritative_locations = [...new Set(others)].slice(0, PLACES)
  if (authoritative_locations.length === 0 && document === undefined) return undefined
  return { authoritative_locations, ...(document && { document }) }
}
