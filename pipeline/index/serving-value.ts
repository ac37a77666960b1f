import { createHash } from 'node:crypto'
import { type Instant, isoOf } from '../core/clock.ts'
import { type Effect, effectOf, type Outcome, outcomeNames } from '../core/outcomes.ts'
import type { FreshnessBlock } from '../model/answers.ts'
import type { RevisionRow } from '../model/rows.ts'

const TIME_LENGTH = 6
const ETAG_LENGTH = 22
const MARK_AT = TIME_LENGTH + ETAG_LENGTH
/** Bytes that stand before the JSON of a document value. */
export const HEAD_LENGTH = MARK_AT + 1

/** What a reader must know of a document before it is sent; without a mark nothing is said. */
export type Mark = 'none' | 'stocked'
const marks: readonly Mark[] = ['none', 'stocked']

/**
 * A document as it is kept: when it was put there (6 bytes), its ETag (22), its mark (1), its JSON as it
 * is sent.
 */
export function documentValue(document: object, at: Instant, mark: Mark = 'none'): Buffer {
  const json = JSON.stringify(document)
  const etag = createHash('sha256').update(json).digest('base64url').slice(0, ETAG_LENGTH)
  const value = Buffer.allocUnsafe(HEAD_LENGTH + Buffer.byteLength(json))
  value.writeUIntBE(at, 0, TIME_LENGTH)
  value.write(etag, TIME_LENGTH, 'latin1')
  value.writeUInt8(marks.indexOf(mark), MARK_AT)
  value.write(json, HEAD_LENGTH)
  return value
}

/** When a document was put there: not before it changed last, and later where it was projected anew. */
export function modifiedAt(value: Buffer): Instant {
  return value.readUIntBE(0, TIME_LENGTH)
}

export function etagOf(value: Buffer): string {
  return value.toString('latin1', TIME_LENGTH, MARK_AT)
}

export function markOf(value: Uint8Array): Mark {
  return marks[value[MARK_AT]!]!
}

/** Whether two document values hold the same, whenever they were put there. */
export function holdSame(a: Buffer, b: Buffer): boolean {
  return a.subarray(TIME_LENGTH).equals(b.subarray(TIME_LENGTH))
}

/** How the file behind an answer stands with the crawler. */
export type FreshnessState = FreshnessBlock['state']

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

/** The freshness block of an answer; without a value nobody has tried the file. */
export function readFreshness(value: Uint8Array | undefined, now: Instant): FreshnessBlock {
  if (value === undefined) return { state: 'never_crawled' }
  const outcome = outcomeNames[value[0]!]!
  const status = numberAt(value, 1, 3)
  const attempted = numberAt(value, 3, 9)
  const succeeded = numberAt(value, 9, FRESHNESS_BYTES)
  const state = stateOf[effectOf(outcome)]
  const block: FreshnessBlock = {
    state: state === 'current' && succeeded + STALE_AFTER_MS <= now ? 'stale' : state,
    outcome,
    checked_at: isoOf(attempted),
  }
  if (succeeded !== 0) {
    block.succeeded_at = succeeded === attempted ? block.checked_at : isoOf(succeeded)
  }
  if (status !== 0) block.http_status = status
  return block
}

function numberAt(bytes: Uint8Array, start: number, end: number): number {
  let number = 0
  for (let i = start; i < end; i++) number = number * 256 + bytes[i]!
  return number
}

/** The same as JSON text. No part of it needs an escape. */
export function freshnessJson(block: FreshnessBlock): string {
  const { state, outcome, checked_at, succeeded_at, http_status } = block
  if (outcome === undefined) return `{"state":"${state}"}`
  const succeeded = succeeded_at === undefined ? '' : `,"succeeded_at":"${succeeded_at}"`
  const status = http_status === undefined ? '' : `,"http_status":${http_status}`
  return `{"state":"${state}","outcome":"${outcome}","checked_at":"${checked_at}"${succeeded}${status}}`
}

/** Where the number of an entry's last revision stands, and where each of its revisions does. */
export function historyKey(entity: RevisionRow['entity'], domain: string): string {
  return `${entity} ${domain}`
}

export function revisionKey(entity: RevisionRow['entity'], domain: string, number: number): string {
  return `${historyKey(entity, domain)} ${number}`
}
