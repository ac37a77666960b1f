import { DAY, type Instant } from '../core/clock.ts'
import type { Domain } from '../core/domain.ts'
import type { AdagentsInline, AdagentsPointer, BeforePointer } from '../model/documents/index.ts'
import { parseSource } from '../model/observation.ts'
import { ask, type Derivation, type KnownFile, type Pending, pending, wake } from './derivation.ts'
import { pickWorst, type Validity } from './validity.ts'

/** The document that counts where a file points, and where it was read. */
export interface PointedAt {
  document: AdagentsInline
  validity: Validity
  location: string
}

/** For so long counts what a file said before it became a pointer that leads to no document. */
const POINTER_RETENTION_MS = DAY

/**
 * Resolves the pointer of a domain, never back to one of `asking`. Undefined when it leads to no
 * document and none counted before.
 */
export function* resolvePointer(
  domain: Domain,
  pointer: AdagentsPointer,
  pointing: Validity,
  visited: readonly Domain[],
  now: Instant,
): Derivation<PointedAt | Pending | undefined> {
  const source = parseSource('adagents.json', pointer.authoritative_location)
  if (source === undefined || visited.some(location => location === source.location))
    return undefined
  const target = yield* ask('adagents.json', source.location)
  if (target.validity === 'unknown') return pending
  const validity = pickWorst(pointing, target.validity)
  const location = target.location ?? source.location
  if (target.document === undefined) {
    return yield* resolveFormerLocations(domain, pointer, validity, visited)
  }
  if (target.document.variant === 'inline') return { document: target.document, validity, location }
  const stale = pickWorst(validity, 'stale')
  const retained = yield* retainBriefly(target.document.before, now)
  if (retained) return { document: retained, validity: stale, location }
  const own = yield* retainBriefly(pointer.before, now)
  return own && { document: own, validity: stale, location: domain }
}

/**
 * Resolves earlier targets of a pointer while its new target was never read: until then the pointer
 * changes nothing.
 */
function* resolveFormerLocations(
  domain: Domain,
  { before }: AdagentsPointer,
  validity: Validity,
  visited: readonly Domain[],
): Derivation<PointedAt | undefined> {
  for (const pointer of before?.authoritative_locations ?? []) {
    const source = parseSource('adagents.json', pointer)
    if (source === undefined || visited.some(location => location === source.location)) continue
    const { document, location, ...file }: KnownFile<'adagents.json'> = yield* ask(
      'adagents.json',
      source.location,
    )
    if (document?.variant !== 'inline') continue
    const worst = pickWorst(validity, file.validity)
    return { document, validity: worst, location: location ?? source.location }
  }
  const document = before?.document
  return document && { document, validity, location: domain }
}

/**
 * Retains the grants of a pointer that now leads to another pointer. That is no answer, like any
 * unusable file: the document becomes stale at once, its grants stay in force for a while.
 */
function* retainBriefly(
  before: BeforePointer | undefined,
  now: Instant,
): Derivation<AdagentsInline | undefined> {
  if (before?.document === undefined || before.replaced_at === undefined) return undefined
  const until = Date.parse(before.replaced_at) + POINTER_RETENTION_MS
  if (now >= until) return undefined
  yield* wake(until)
  return before.document
}
