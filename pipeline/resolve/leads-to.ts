import { parseDomain } from '../core/domain.ts'
import { type AdagentsDocument, type BrandDocument, isUsable } from '../model/documents/index.ts'
import { findHopsMax, NOWHERE } from '../model/file-state.ts'
import { type FileKind, isUrl, parseSource } from '../model/observation.ts'
import { findNextPlace } from './brand-facts.ts'

/** A stored file with the JSON of its document. */
interface StoredFile {
  kind: FileKind
  location: string
  document: string
}

/** Text of each document that leads elsewhere or has nothing usable; most others lack it, and need no parser. */
const HINT = /"variant":"(?:pointer|authoritative_location|house_redirect)"|"properties":\[\]/

/**
 * Finds the location of the file that another one leads to; `NOWHERE` for one that has nothing usable, or whose
 * pointer cannot be followed. Undefined for a file that speaks for itself.
 */
export function findLead({ kind, location, document: json }: StoredFile): string | undefined {
  if (findHopsMax(kind) === 0 || !HINT.test(json)) return undefined
  const document = JSON.parse(json) as AdagentsDocument | BrandDocument
  switch (document.variant) {
    case 'inline':
      return isUsable(document) ? undefined : NOWHERE
    case 'pointer':
      return parseSource(kind, document.authoritative_location)?.location ?? NOWHERE
    default:
      return findBrandLead(location, document)
  }
}

function findBrandLead(location: string, document: BrandDocument): string | undefined {
  const current = parseDomain(isUrl(location) ? new URL(location).hostname : location)
  if (current === undefined) return undefined
  const next = findNextPlace({ current, location }, document)
  return next === NOWHERE ? NOWHERE : next?.location
}
