import type { Instant } from '../core/clock.ts'
import type { AdagentsDocument, BrandDocument } from '../model/documents/index.ts'
import type { Fault } from '../model/observation.ts'
import type { ProposedKind } from '../model/proposed-kind.ts'
import type { PlacedFault } from '../model/reported-fault.ts'
import { checkBrand } from './brand-json.ts'
import { checkAdagents, reportFaults } from './check-adagents.ts'
import { findFaultPlaces, findRepeatedNames, type TextPlace } from './fault-places.ts'
import { Faults, quote } from './faults.ts'
import type { JsonObject } from './object-reader.ts'
import { decodeText } from './read-json.ts'
import { findSyntaxFault } from './syntax/syntax-fault.ts'

export interface CheckContext {
  /** Domain that will serve the file; without one it is checked as a pointer, or as a file that others point to. */
  domain?: string | undefined
  now: Instant
  maxFaults: number
}

/** Result of a check: faults with their places in the text, errors apart from warnings. */
export interface CheckedProposal {
  /** The file as JSON, tidied; absent if it is not JSON. */
  root?: JsonObject
  document?: AdagentsDocument | BrandDocument
  valid: boolean
  errors: PlacedFault[]
  warnings: PlacedFault[]
}

/** Checks the text of a file that is not served yet, like the crawler, and says on which line each fault is. */
export function checkFile(
  kind: ProposedKind,
  bytes: Uint8Array,
  { domain, now, maxFaults }: CheckContext,
): CheckedProposal {
  const { root, document, faults } =
    kind === 'adagents.json'
      ? checkAdagents(bytes, domain, { now, maxFaults, mayPoint: true })
      : checkBrand(bytes, { maxFaults, domain, now })
  const text = decodeText(bytes, new Faults(1))
  const placed = [...placeFaults(kind, text, faults), ...warnOfRepeatedNames(text, maxFaults)]
  return {
    ...(root && { root }),
    ...(document && { document }),
    ...(reportFaults(placed) as Pick<CheckedProposal, 'valid' | 'errors' | 'warnings'>),
  }
}

/** Tells which kind of file an object is, by what only one of them has. */
export function inferKind(root: unknown): ProposedKind {
  const keys = new Set(typeof root === 'object' && root !== null ? Object.keys(root) : [])
  const isBrand = ['house', 'brands', 'brand_refs', 'names', 'brand_agent'].some(key =>
    keys.has(key),
  )
  return isBrand && !keys.has('authorized_agents') ? 'brand.json' : 'adagents.json'
}

function warnOfRepeatedNames(text: string, max: number): (Fault & TextPlace)[] {
  return findRepeatedNames(text, max).map(({ field, name, line, column }) => ({
    field,
    code: 'repeated',
    severity: 'warning',
    message: `has ${quote(name)} twice, and only the last one counts: remove one of them`,
    line,
    column,
  }))
}

function placeFaults(
  kind: ProposedKind,
  text: string,
  faults: readonly Fault[],
): (Fault & Partial<PlacedFault>)[] {
  const places = findFaultPlaces(text, faults)
  return faults.map((fault, index) => {
    const syntax =
      fault.code === 'not_json' && text.trim() !== '' ? findSyntaxFault(text) : undefined
    if (syntax === undefined) return { ...fault, ...places[index] }
    const { why, ...place } = syntax
    // A web page is recognised by its content, and which file it should be is known here.
    const message = fault.message.startsWith('this is a web page')
      ? fault.message.replace('a JSON file', `${kind === 'brand.json' ? 'a' : 'an'} ${kind}`)
      : `is not valid JSON: ${why}`
    return { ...fault, message, ...place }
  })
}
