import { createHash } from 'node:crypto'
import { type Instant, isoOf } from '../core/clock.ts'
import { type Effect, effectOf, type Outcome, outcomeNames } from '../core/outcomes.ts'
import type { RevisionRow } from '../model/rows.ts'

const TIME_LENGTH = 6
const ETAG_LENGTH = 22
/** Bytes that stand before the JSON of a document value. */
export const HEAD_LENGTH = TIME_LENGTH + ETAG_LENGTH

/** A document as it is kept: when it was put there (6 bytes), its ETag (22), its JSON as it is sent. */
export function documentValue(document: object, at: Instant): Buffer {
  const json = JSON.stringify(document)
  const etag = createHash('sha256').update(json).digest('base64url').slice(0, ETAG_LENGTH)
  const value = Buffer.allocUnsafe(HEAD_LENGTH + Buffer.byteLength(json))
  value.writeUIntBE(at, 0, TIME_LENGTH)
  value.write(etag, TIME_LENGTH, 'latin1')
  value.write(json, HEAD_LENGTH)
  return value
}

/** When a document was put there: not before it changed last, and later where it was projected anew. */
export function modifiedAt(value: Uint8Array): Instant {
  return Buffer.from(value.buffer, value.byteOffset, TIME_LENGTH).readUIntBE(0, TIME_LENGTH)
}

export function etagOf(value: Uint8Array): string {
  return Buffer.from(value.buffer, value.byteOffset + TIME_LENGTH, ETAG_LENGTH).toString('latin1')
}

/** Whether two document values hold the same, whenever they were put there. */
export function holdSame(a: Buffer, b: Buffer): boolean {
  return a.subarray(TIME_LENGTH).equals(b.subarray(TIME_LENGTH))
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
  attempted_at: Instant
  succeeded_at: Instant | null
}

const FRESHNESS_BYTES = 15

/**
 * Crawl state as it is kept: outcome (1 byte), HTTP status (2), the last attempt and the last success
 * (6 each), 0 for none. A night writes one of every file, so it is small; and it stands apart from
 * the content, so that a quiet night rewrites no documents.
 */
export function freshnessValue(facts: CrawlFacts): Buffer {
  const value = Buffer.allocUnsafe(FRESHNESS_BYTES)
  value.writeUInt8(outcomeNames.indexOf(facts.outcome), 0)
  value.writeUInt16BE(facts.status ?? 0, 1)
  value.writeUIntBE(facts.attempted_at, 3, 6)
  value.writeUIntBE(facts.succeeded_at ?? 0, 9, 6)
  return value
}

export interface Freshness {
  state: FreshnessState
  /** `"outcome":…}` : what follows the state in the block. */
  rest: string
}

export function readFreshness(value: Uint8Array | undefined, now: Instant): Freshness {
  if (value === undefined) return { state: 'never_crawled', rest: '' }
  const outcome = outcomeNames[value[0]!]!
  const status = numberAt(value, 1, 3)
  const attempted = numberAt(value, 3, 9)
  const succeeded = numberAt(value, 9, FRESHNESS_BYTES)
  const state = stateOf[effectOf(outcome)]
  const checkedAt = isoOf(attempted)
  const succeededAt = succeeded === attempted ? checkedAt : isoOf(succeeded)
  return {
    state: state === 'current' && succeeded + STALE_AFTER_MS <= now ? 'stale' : state,
    rest:
      `"outcome":"${outcome}","checked_at":"${checkedAt}"` +
      (succeeded === 0 ? '' : `,"succeeded_at":"${succeededAt}"`) +
      (status === 0 ? '}' : `,"http_status":${status}}`),
  }
}

function numberAt(bytes: Uint8Array, start: number, end: number): number {
  let number = 0
  for (let i = start; i < end; i++) number = number * 256 + bytes[i]!
  return number
}

/** The freshness block as JSON text. */
export function freshnessJson({ state, rest }: Freshness): string {
  return rest === '' ? `{"state":"${state}"}` : `{"state":"${state}",${rest}`
}

/** Where the number of an entry's last revision stands, and where each of its revisions does. */
export function historyKey(entity: RevisionRow['entity'], domain: string): string {
  return `${entity} ${domain}`
}

export function revisionKey(entity: RevisionRow['entity'], domain: string, number: number): string {
  return `${historyKey(entity, domain)} ${number}`
}
