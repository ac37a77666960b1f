import { hash } from 'node:crypto'
import type { Instant } from '../core/clock.ts'
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
  const etag = hash('sha256', json, 'base64url').slice(0, ETAG_LENGTH)
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

/** Where the number of an entry's last revision stands, and where each of its revisions does. */
export function historyKey(entity: RevisionRow['entity'], domain: string): string {
  return `${entity} ${domain}`
}

export function revisionKey(entity: RevisionRow['entity'], domain: string, number: number): string {
  return `${historyKey(entity, domain)} ${number}`
}
