import { createHash } from 'node:crypto'
import type { Instant } from '../core/clock.ts'
import { type Effect, effectOf, type Outcome } from '../core/outcomes.ts'

/** Length of the ETag that stands before the JSON of a document value. */
export const ETAG_LENGTH = 22

/** A document as it is kept: its ETag, then its JSON as it is sent. */
export function documentValue(document: object): Buffer {
  const json = JSON.stringify(document)
  const etag = createHash('sha256').update(json).digest('base64url').slice(0, ETAG_LENGTH)
  return Buffer.from(etag + json)
}

/** How the file behind an answer stands with the crawler. */
export type FreshnessState =
  | 'never_crawled'
  | 'current'
  | 'stale'
  | 'failing'
  | 'absent'
  | 'invalid'

/** From when on an answer that nobody could confirm is called stale. */
export const STALE_AFTER_MS = 48 * 3_600_000

const stateOf: Record<Effect, FreshnessState> = {
  success: 'current',
  absent: 'absent',
  unusable: 'invalid',
  garbled: 'invalid',
  unreachable: 'failing',
}

export interface CrawlFacts {
  outcome: Outcome
  status: number | null
  attempted_at: string
  succeeded_at: string | null
}

/**
 * Crawl state as it is kept: when a current answer turns stale (8 bytes), its state's name padded to
 * 16, then the other members of the freshness block as JSON text. Kept apart from the content, so
 * that a quiet night rewrites no documents.
 */
export function freshnessValue(facts: CrawlFacts): Buffer {
  const state = stateOf[effectOf(facts.outcome)]
  const turns = facts.succeeded_at === null ? 0 : Date.parse(facts.succeeded_at) + STALE_AFTER_MS
  const members = JSON.stringify({
    outcome: facts.outcome,
    checked_at: facts.attempted_at,
    ...(facts.succeeded_at === null ? {} : { succeeded_at: facts.succeeded_at }),
    ...(facts.status === null ? {} : { http_status: facts.status }),
  })
  const head = Buffer.alloc(24, ' ')
  head.writeDoubleBE(turns, 0)
  head.write(state, 8, 'latin1')
  return Buffer.concat([head, Buffer.from(members.slice(1))])
}

export interface Freshness {
  state: FreshnessState
  /** `"checked_at":…}` : what follows the state in the block. */
  rest: string
}

export function readFreshness(value: Uint8Array | undefined, now: Instant): Freshness {
  if (value === undefined) return { state: 'never_crawled', rest: '' }
  const bytes = Buffer.from(value.buffer, value.byteOffset, value.length)
  const state = bytes.toString('latin1', 8, 24).trimEnd() as FreshnessState
  const turned = state === 'current' && bytes.readDoubleBE(0) <= now
  return { state: turned ? 'stale' : state, rest: bytes.toString('latin1', 24) }
}

/** The freshness block as JSON text. */
export function freshnessJson({ state, rest }: Freshness): string {
  return rest === '' ? `{"state":"${state}"}` : `{"state":"${state}",${rest}`
}
