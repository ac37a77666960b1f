import { DAY, type Instant } from '../core/clock.ts'
import type { Domain } from '../core/domain.ts'
import type { AdagentsInline, AdagentsPointer, BeforePointer } from '../model/documents.ts'
import { sourceAt } from '../model/observation.ts'
import { ask, type Derivation, type KnownFile, type Pending, pending, wake } from './derivation.ts'
import { type Standing, worstOf } from './standing.ts'

/** The document that counts where a file points, and where it was read. */
export interface PointedAt {
  document: AdagentsInline
  standing: Standing
  location: string
}

/** For so long counts what a file said before it became a pointer that leads to no document. */
const ON_CREDIT = DAY

/**
 * What the pointer of a domain leads to, never back to one of `asking`. Undefined when that is no
 * document, and none counted before.
 */
export function* pointedAt(
  domain: Domain,
  pointer: AdagentsPointer,
  pointing: Standing,
  asking: readonly Domain[],
  now: Instant,
): Derivation<PointedAt | Pending | undefined> {
  const source = sourceAt('adagents.json', pointer.authoritative_location)
  if (source === undefined || asking.some(one => one === source.location)) return undefined
  const target = yield* ask('adagents.json', source.location)
  if (target.standing === 'untried') return pending
  const standing = worstOf(pointing, target.standing)
  const location = target.location ?? source.location
  if (target.document === undefined) {
    return yield* whatCountedBefore(domain, pointer, standing, asking)
  }
  if (target.document.variant === 'inline') return { document: target.document, standing, location }
  const stale = worstOf(standing, 'stale')
  const lately = yield* onCredit(target.document.before, now)
  if (lately) return { document: lately, standing: stale, location }
  const own = yield* onCredit(pointer.before, now)
  return own && { document: own, standing: stale, location: domain }
}

/** Nothing was ever read where a file points: until then it changes what counts for nobody. */
function* whatCountedBefore(
  domain: Domain,
  { before }: AdagentsPointer,
  standing: Standing,
  asking: readonly Domain[],
): Derivation<PointedAt | undefined> {
  for (const place of before?.authoritative_locations ?? []) {
    const source = sourceAt('adagents.json', place)
    if (source === undefined || asking.some(one => one === source.location)) continue
    const { document, location, ...file }: KnownFile<'adagents.json'> = yield* ask(
      'adagents.json',
      source.location,
    )
    if (document?.variant !== 'inline') continue
    const worst = worstOf(standing, file.standing)
    return { document, standing: worst, location: location ?? source.location }
  }
  const document = before?.document
  return document && { document, standing, location: domain }
}

/**
 * A pointer that leads to another pointer is no answer, like any other file that says nothing known:
 * what stood is stale at once, and what it granted stands for a while.
 */
function* onCredit(
  before: BeforePointer | undefined,
  now: Instant,
): Derivation<AdagentsInline | undefined> {
  if (before?.document === undefined || before.replaced_at === undefined) return undefined
  const until = Date.parse(before.replaced_at) + ON_CREDIT
  if (now >= until) return undefined
  yield* wake(until)
  return before.document
}
