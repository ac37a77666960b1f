import { hash } from 'node:crypto'
import type { Instant } from '../core/clock.ts'
import type { Source } from '../model/observation.ts'
import type { RevisionRow } from '../model/rows.ts'

const TIME_LENGTH = 6
const ETAG_LENGTH = 22
const MARK_AT = TIME_LENGTH + ETAG_LENGTH
/** Bytes before the JSON of a document value. */
export const HEAD_LENGTH = MARK_AT + 1

/** Members of a document that a reader must know before it is sent. */
interface Marked {
  hasInventory?: boolean
  /** A house and its brand name each other; its files say since when that is known. */
  isMutual?: boolean
  /** The files that decided it, where these are more than the domain's own one. */
  files?: readonly Source[]
}

/** Bits of the marks. */
const HAS_INVENTORY = 1
const HAS_FILES = 2
const MUTUAL = 4
const FILES_LENGTH = 2

/**
 * Encodes a document: the time it was stored (6 bytes), its ETag (22), its marks (1), its JSON as
 * sent. The deciding files, if any, follow as JSON with its length (2).
 */
export function encodeDocument(document: object, storedAt: Instant, marked: Marked = {}): Buffer {
  const { hasInventory = false, isMutual = false, files = [] } = marked
  const json = JSON.stringify(document)
  const etag = hash('sha256', json, 'base64url').slice(0, ETAG_LENGTH)
  const end = HEAD_LENGTH + Buffer.byteLength(json)
  const encodedFiles = files.length > 1 ? Buffer.from(JSON.stringify(files)) : undefined
  const value = Buffer.allocUnsafe(end + (encodedFiles ? encodedFiles.length + FILES_LENGTH : 0))
  value.writeUIntBE(storedAt, 0, TIME_LENGTH)
  value.write(etag, TIME_LENGTH, 'latin1')
  const marks =
    (hasInventory ? HAS_INVENTORY : 0) | (encodedFiles ? HAS_FILES : 0) | (isMutual ? MUTUAL : 0)
  value.writeUInt8(marks, MARK_AT)
  value.write(json, HEAD_LENGTH)
  if (encodedFiles) {
    encodedFiles.copy(value, end)
    value.writeUInt16BE(encodedFiles.length, end + encodedFiles.length)
  }
  return value
}

function readMarks(value: Uint8Array): number {
  return value[MARK_AT] ?? 0
}

/** Tells where the JSON of a document ends. */
export function findJsonEnd(value: Buffer): number {
  if ((readMarks(value) & HAS_FILES) === 0) return value.length
  const end = value.length - FILES_LENGTH
  return end - value.readUInt16BE(end)
}

/** Converts the files that decided a document; undefined if the domain's own file did alone. */
export function toFiles(value: Buffer): Source[] | undefined {
  const end = findJsonEnd(value)
  if (end === value.length) return undefined
  return JSON.parse(value.toString('utf8', end, value.length - FILES_LENGTH))
}

/** Reads when a document was stored: its last change, or a later projection. */
export function readModifiedAt(value: Buffer): Instant {
  return value.readUIntBE(0, TIME_LENGTH)
}

export function readEtag(value: Buffer): string {
  return value.toString('latin1', TIME_LENGTH, MARK_AT)
}

export function isMutual(value: Uint8Array): boolean {
  return (readMarks(value) & MUTUAL) !== 0
}

export function hasInventory(value: Uint8Array): boolean {
  return (readMarks(value) & HAS_INVENTORY) !== 0
}

/** Tells whether two document values have equal content, whenever they were stored. */
export function hasSameContent(a: Buffer, b: Buffer): boolean {
  return a.subarray(TIME_LENGTH).equals(b.subarray(TIME_LENGTH))
}

/** Builds the key of an entry's last revision number, and the prefix of its revisions. */
export function toHistoryKey(entity: RevisionRow['entity'], domain: string): string {
  return `${entity} ${domain}`
}

export function toRevisionKey(
  entity: RevisionRow['entity'],
  domain: string,
  number: number,
): string {
  return `${toHistoryKey(entity, domain)} ${number}`
}

/** Encodes a record that is read as plain JSON. */
export function toJsonValue(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value))
}
