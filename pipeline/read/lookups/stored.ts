import { hash } from 'node:crypto'
import type { Instant } from '../../core/clock.ts'
import { requireValue } from '../../core/present.ts'
import type { SourceKind } from '../../model/documents/index.ts'
import { findHopsMax, NOWHERE, readStates } from '../../model/file-state.ts'
import { isHostedFor } from '../../model/hosted.ts'
import type { FileKind, Source } from '../../model/observation.ts'
import type { FreshnessBlock } from '../../model/responses/index.ts'
import {
  findJsonEnd,
  HEAD_LENGTH,
  hasInventory,
  isMutual,
  readEtag,
  readModifiedAt,
  toFiles,
} from '../../serving/document-value.ts'
import { formatFreshness, pickWeakest, readFreshness } from '../../serving/freshness-record.ts'
import { toFreshnessKey, toPointerKey } from '../../serving/keys.ts'
import type { ServingStore, SpaceName } from '../../serving/lmdb.ts'
import { declareCache } from '../cache/caches.ts'
import { CommitCache } from '../cache/commit-cache.ts'
import type { Reader } from '../reader.ts'
import { type LentBytes, writer } from './buffer-builder.ts'
import { ByteText, toByteCharacters } from './byte-text.ts'

/** Ready to be sent: content with its freshness block, and the ETag of the content and the state of the files. */
export interface StoredAnswer {
  etag: string
  /** Absent if anything but a commit of this key changes the content too, such as the state of a file that is gone. */
  modifiedAt?: Instant | undefined
  body: Buffer | ByteText | string
}

/**
 * Size up to which an answer is returned as text, so that it is sent in one piece with its headers; a longer
 * one becomes a buffer.
 */
const SHORT_ANSWER_BYTES_MAX = 16 * 1024

/** A key space of documents, and the file that their freshness speaks of. */
interface DocumentSpace {
  space: Extract<SpaceName, 'brand' | 'property' | 'publisher' | 'lookup'>
  file: FileKind
}

export const documentSpaces = {
  brand: { space: 'brand', file: 'brand.json' },
  property: { space: 'property', file: 'adagents.json' },
  publisher: { space: 'publisher', file: 'adagents.json' },
  lookup: { space: 'lookup', file: 'adagents.json' },
} as const satisfies Record<string, DocumentSpace>

/** Members that an answer gets when it is sent, and that its ETag does not cover but for the state in its freshness. */
interface Added {
  /** JSON, each member with a comma before it. */
  more?: string
  /** Adds the freshness to the object that is the last member of the stored value. */
  within?(freshness: FreshnessBlock): string
  revise?: Revise | undefined
}

/** Holds what other records of the same commit say of a document, for whoever completes its answers. */
export interface Notes {
  /** Agents claim to sell for the domain. */
  isClaimed?: boolean
  /** The address that its file was resolved to, and the one that answered in the end, if that is another. */
  resolvedUrl?: string | undefined
  finalUrl?: string | undefined
}

/** A stored document with what other records of the same commit add to it, and a tag of that for the ETag. */
export interface Revised {
  json: string
  tag: string
  /** Ends the ETag. */
  suffix?: string
  notes?: Notes
}

/** Adds what other records say to the stored JSON of a domain's document. */
export type Revise = (json: string, domain: string, reader: Reader) => Revised

/** All of an answer that only a commit changes. */
interface Document extends Pick<StoredAnswer, 'etag' | 'modifiedAt'> {
  hasInventory: boolean
  isMutual: boolean
  /** The files that decided it. */
  files: readonly Source[]
  notes: Notes
  /** Its JSON with a character for each byte; absent for a long one that was not revised. */
  text?: string
}

const REVISED_BYTES = 16 * 1024 * 1024
/** Bytes of a document in the cache besides its text. */
const DOCUMENT_BYTES = 400
/** Documents as other records revise them; `false` where nothing is stored. */
const revisedDocuments = declareCache(
  () =>
    new CommitCache<Document | false>(REVISED_BYTES, found =>
      found ? DOCUMENT_BYTES + (found.text?.length ?? 0) : 0,
    ),
)

const LONG_ANSWERS_BYTES = 8 * 1024 * 1024
/** Long answers by their key and their end, which holds all that depends on the clock. */
const longAnswers = declareCache(
  () => new CommitCache<Buffer>(LONG_ANSWERS_BYTES, ({ length }) => length),
)

const noNotes: Notes = {}

function findDocument(
  reader: Reader,
  store: ServingStore,
  { space, file }: DocumentSpace,
  domain: string,
  revise: Revise | undefined,
): Document | false {
  const read = () => {
    const value = store.peek(space, domain)
    if (value === undefined) return false
    const isText = revise === undefined && value.length <= SHORT_ANSWER_BYTES_MAX
    const document: Document = {
      etag: readEtag(value),
      modifiedAt: readModifiedAt(value),
      hasInventory: hasInventory(value),
      ...readDeciding(value, file, domain),
      notes: noNotes,
      ...(isText && { text: value.toString('latin1', HEAD_LENGTH, findJsonEnd(value)) }),
    }
    if (revise === undefined) return document
    // The next read invalidates the bytes that `peek` returned.
    const stored = value.toString('utf8', HEAD_LENGTH, findJsonEnd(value))
    return applyRevision(document, revise(stored, domain, reader))
  }
  return revise ? revisedDocuments(reader).get(store, `${space} ${domain}`, read) : read()
}

/** Reads which files decided a document, and whether two of them name each other. */
function readDeciding(value: Buffer, file: FileKind, domain: string) {
  const files = toFiles(value) ?? [{ kind: file, location: domain }]
  return { isMutual: isMutual(value), files }
}

/** Gives a document that other records change an ETag of its own, and no time of change. */
function applyRevision(
  { etag: own, ...document }: Document,
  { json, tag, suffix = '', notes = noNotes }: Revised,
): Document {
  const text = toByteCharacters(json)
  if (tag === '' && suffix === '') return { ...document, etag: own, notes, text }
  const etag = tag === '' ? own : hash('sha256', `${own} ${tag}`, 'base64url').slice(0, own.length)
  return { ...document, etag: etag + suffix, modifiedAt: undefined, notes, text }
}

/**
 * Adds to the ETag of an answer the state of the files that decided it. Their times are not covered, so that a night
 * without changes changes no ETag.
 */
export function addState(etag: string, { state }: FreshnessBlock): string {
  return state === 'current' ? etag : `${etag}.${state}`
}

/** Finds the answer stored under a domain, whether it is marked as stocked, and its freshness. */
export function findStored(
  reader: Reader,
  space: DocumentSpace,
  domain: string,
  { more = '', within, revise }: Added = {},
):
  | (StoredAnswer & Pick<Document, 'hasInventory' | 'notes'> & { freshness: FreshnessBlock })
  | undefined {
  const store = reader.serving
  const found = store && findDocument(reader, store, space, domain, revise)
  if (!found) return undefined
  const { etag, modifiedAt, hasInventory, isMutual, files, notes, text } = found
  const now = reader.now()
  const freshness = findDecidingFreshness(store, files, now)
  const braces = within === undefined ? 1 : 2
  const inner = within === undefined ? '' : `${within(freshness)}}`
  const verified = isMutual ? formatVerified(store, files, now) : ''
  const end = toByteCharacters(
    `${inner}${more}${verified},"freshness":${formatFreshness(freshness)}}`,
  )
  const tags = {
    etag: addState(etag, freshness),
    ...(freshness.state === 'current' && { modifiedAt }),
  }
  const answer = { ...tags, hasInventory, notes, freshness }
  if (text !== undefined && text.length <= SHORT_ANSWER_BYTES_MAX)
    return { ...answer, body: new ByteText(text.slice(0, -braces) + end) }
  const body = longAnswers(reader).get(store, `${space.space} ${domain} ${end}`, () => {
    if (text !== undefined) return Buffer.from(text.slice(0, -braces) + end, 'latin1')
    const value = requireValue(store.peek(space.space, domain), 'document')
    return Buffer.concat([readContent(value, braces), Buffer.from(end, 'latin1')])
  })
  return { ...answer, body }
}

/** Requested name, and the domain that it means, if any. */
export type DomainsByName = ReadonlyMap<string, string | undefined>

/** Resolves many domains to one JSON object: a member for each key, in order, null if unknown. */
export function resolveMany(
  reader: Reader,
  space: DocumentSpace,
  domains: DomainsByName,
  revise?: Revise,
): LentBytes {
  const store = reader.serving
  const now = reader.now()
  let before = '{"results":{'
  writer.start()
  for (const [key, domain] of domains) {
    const name = `${before}${key === domain ? `"${key}"` : JSON.stringify(key)}:`
    const found = store && domain && writeDocument(reader, store, space, domain, name, revise)
    // As the last member, and with the brace that closes the answer.
    before = found ? `${formatEnd(store, found, now)},` : `${name}null,`
  }
  writer.text(`${before.slice(0, -1)}}}`)
  return writer.lend()
}

/** Writes what is before a document, and the document without its closing brace: each write costs as much as a short document. */
function writeDocument(
  reader: Reader,
  store: ServingStore,
  { space, file }: DocumentSpace,
  domain: string,
  before: string,
  revise: Revise | undefined,
) {
  if (revise) {
    const found = findDocument(reader, store, { space, file }, domain, revise)
    if (!found) return undefined
    writer.text(before)
    writer.ascii(requireValue(found.text, 'revised document').slice(0, -1))
    return found
  }
  const value = store.peek(space, domain)
  if (value === undefined) return undefined
  writer.text(before)
  // The next read invalidates the bytes that `peek` returned.
  writer.part(value, HEAD_LENGTH, findJsonEnd(value) - 1)
  return readDeciding(value, file, domain)
}

/** Formats what a document ends with when it is sent. */
function formatEnd(
  store: ServingStore,
  { files, isMutual }: Pick<Document, 'files' | 'isMutual'>,
  now: Instant,
): string {
  const verified = isMutual ? formatVerified(store, files, now) : ''
  return `${verified},"freshness":${formatFreshness(findDecidingFreshness(store, files, now))}}`
}

/** Finds the freshness of a file alone, wherever it leads, or of an agent; also where nothing is stored. */
export function findFreshness(reader: Reader, kind: SourceKind, location: string): FreshnessBlock {
  const { serving } = reader
  return serving === undefined
    ? { state: 'never_crawled' }
    : readFreshnessAlone(serving, { kind, location }, reader.now())
}

/** Finds the freshness of an answer: that of the weakest of the files that decided it. */
export function findFilesFreshness(reader: Reader, files: readonly Source[]): FreshnessBlock {
  const { serving } = reader
  return serving === undefined
    ? { state: 'never_crawled' }
    : findDecidingFreshness(serving, files, reader.now())
}

/** Finds the freshness of the file of a domain of which nothing is stored, and of where it leads. */
export function findFileFreshness(reader: Reader, kind: FileKind, domain: string): FreshnessBlock {
  return findFilesFreshness(reader, [{ kind, location: domain }])
}

/** Formats the freshness of the file of a domain as JSON text. */
export function formatFileFreshness(reader: Reader, kind: FileKind, domain: string): string {
  return formatFreshness(findFileFreshness(reader, kind, domain))
}

/**
 * Finds the freshness of the files behind a stored answer of a domain, or of its own file if there is no
 * answer.
 */
export function findStoredFreshness(
  reader: Reader,
  space: DocumentSpace,
  domain: string,
): FreshnessBlock {
  const value = reader.serving?.peek(space.space, domain)
  const files = value && toFiles(value)
  return findFilesFreshness(reader, files ?? [{ kind: space.file, location: domain }])
}

/**
 * Formats the time at which a brand and its house were last known to name each other: the older of the
 * last reads of both files.
 */
function formatVerified(store: ServingStore, files: readonly Source[], now: Instant): string {
  const times = files.flatMap(
    ({ kind, location }) => readStoredFreshness(store, kind, location, now).succeeded_at ?? [],
  )
  const [oldest] = times.sort()
  return oldest === undefined ? '' : `,"relationship_verified_at":"${oldest}"`
}

/**
 * Finds the freshness of the deciding files. Hosted files of this registry are never fetched and
 * weaken nothing. The target of the first file counts also while it was never read.
 */
function findDecidingFreshness(
  store: ServingStore,
  files: readonly Source[],
  now: Instant,
): FreshnessBlock {
  const [first, ...others] = files
  if (first === undefined) return { state: 'never_crawled' }
  const { freshness: own, lead } = readFile(store, first, now)
  const targets = listTargets(store, first.kind, lead, now)
  if (others.length === 0 && targets.length === 0) return own
  const known = [own, ...others.map(source => readFreshnessAlone(store, source, now))].filter(
    ({ state }) => state !== 'never_crawled',
  )
  for (const { source, freshness } of targets) {
    const isRead = freshness.state !== 'never_crawled'
    if (isRead || !isHostedFor(first.location, source)) known.push(freshness)
  }
  return known.length === 0 ? own : pickWeakest(known)
}

/** A file that another one points to, with the freshness of the target. */
export interface Target {
  source: Source
  freshness: FreshnessBlock
}

/**
 * Lists the files that a file points to, directly or through other pointers. A target that is itself a
 * pointer beyond the limit of hops counts as invalid.
 */
function listTargets(
  store: ServingStore,
  kind: SourceKind,
  lead: string | undefined,
  now: Instant,
): Target[] {
  const targets: Target[] = []
  let next = lead
  for (let hop = findHopsMax(kind); isLocation(next) && hop > 0; hop--) {
    const source = { kind, location: next }
    const target = readFile(store, source, now)
    next = target.lead
    const isLost = isLocation(next) && hop === 1
    targets.push({ source, freshness: isLost ? toUseless(target.freshness) : target.freshness })
  }
  return targets
}

const isLocation = (lead: string | undefined): lead is string =>
  lead !== undefined && lead !== NOWHERE

/** Finds the files that a file points to, with the freshness of each. */
export function findTargets(reader: Reader, first: Source): Target[] {
  const { serving } = reader
  if (serving === undefined) return []
  const now = reader.now()
  return listTargets(serving, first.kind, readFile(serving, first, now).lead, now)
}

/** Reads the freshness of a file, and where it leads: one that has nothing usable is invalid, though it was read. */
function readFile(
  store: ServingStore,
  { kind, location }: Source,
  now: Instant,
): { freshness: FreshnessBlock; lead: string | undefined } {
  const freshness = readStoredFreshness(store, kind, location, now)
  if (findHopsMax(kind) === 0) return { freshness, lead: undefined }
  const lead = store.text('pointer', toPointerKey(kind, location))
  return { freshness: lead === NOWHERE ? toUseless(freshness) : freshness, lead }
}

function toUseless(freshness: FreshnessBlock): FreshnessBlock {
  return readStates.includes(freshness.state) ? { ...freshness, state: 'invalid' } : freshness
}

/** Reads the freshness of a file. Where a brand.json leads is not looked up: none is stored without anything usable. */
function readFreshnessAlone(store: ServingStore, file: Source, now: Instant): FreshnessBlock {
  return file.kind === 'adagents.json'
    ? readFile(store, file, now).freshness
    : readStoredFreshness(store, file.kind, file.location, now)
}

function readStoredFreshness(
  store: ServingStore,
  kind: SourceKind,
  location: string,
  now: Instant,
): FreshnessBlock {
  return readFreshness(store.peek('freshness', toFreshnessKey(kind, location)), kind, now)
}

/** Reads the stored JSON without its closing braces; valid as long as the value. */
function readContent(value: Buffer, braces: number): Uint8Array {
  return new Uint8Array(
    value.buffer,
    value.byteOffset + HEAD_LENGTH,
    findJsonEnd(value) - HEAD_LENGTH - braces,
  )
}
