import { existsSync, readFileSync } from 'node:fs'
import { endianness } from 'node:os'
import { join, relative } from 'node:path'
import { type Clock, type Instant, MINUTE, toDay, toIso } from '../core/clock.ts'
import { getFirst, getLast } from '../core/present.ts'
import { readSearchCheckpoint } from '../search/checkpoint.ts'
import { SERVING_FORMAT, type ServingStore, spaces } from '../serving/lmdb.ts'
import type { WriteJournal } from '../serving/write-journal.ts'
import { readCheckpoint } from '../store/checkpoint.ts'
import { listCopiedFiles } from '../store/columnar/parquet-releases.ts'
import { listEventFiles } from '../store/event-log.ts'
import type { Paths } from '../store/paths.ts'
import { type LogSigner, toVerifierKey } from '../transparency/signed-note.ts'
import { HEAD } from '../transparency/tile-names.ts'
import { linkTables } from './data-tree.ts'
import { dropOldSegments, findJoinable } from './join-segments.ts'
import { makeBase } from './make-base.ts'
import {
  listPublishedFiles,
  MANIFEST_FORMAT,
  type NamedFile,
  type PublishedManifest,
  type Segment,
} from './manifest.ts'
import { findSignatureFault, hashManifest, signManifest } from './manifest-signature.ts'
import { PublishedFolder } from './published-folder.ts'

/** Files that a replica may still be reading are kept this long. */
const GRACE_MS = 10 * MINUTE
/**
 * Bytes of segments that are always allowed after a base, so that a small base is not rebuilt again and
 * again.
 */
const SEGMENT_BYTES_MIN = 8 * 1024 * 1024

type Serving = Pick<PublishedManifest, 'seq' | 'chain' | 'position' | 'base' | 'segments'>

/** Parts of the writer that are published. */
export interface StatePublisherParts {
  paths: Paths
  serving: ServingStore
  journal: WriteJournal
  clock: Clock
  /** Folder of the published files. */
  folder: string
  /** Public address of the registry, if it has one. */
  baseUrl?: string | undefined
  /** Signs the manifest, where the registry has a log. */
  signer: LogSigner | undefined
  /** Begins a new chain while no commit runs. */
  restartChain: () => Promise<void>
}

/** A manifest before it has its time and its signature. */
type Unsigned = Omit<PublishedManifest, 'made_at' | 'signature'>

function isSignedBy(manifest: PublishedManifest, signer: LogSigner | undefined): boolean {
  const { signature } = manifest
  if (signer === undefined) return signature === undefined
  return findSignatureFault(signature, hashManifest(manifest), toVerifierKey(signer)) === undefined
}

function pickServing({ seq, chain, position, base, segments }: Serving): Serving {
  return { seq, chain, position, base, segments }
}

/** Publishes the state of the registry as files that never change, and a manifest that names them. */
export class StatePublisher {
  readonly #parts: StatePublisherParts
  readonly #folder: PublishedFolder
  #last: PublishedManifest | undefined
  /** False while the current manifest is signed by another key than that of today, or by none. */
  #isSigned: boolean
  readonly #unlistedSince = new Map<string, Instant>()
  /**
   * First commit whose snapshot no longer contains data that was taken down; until it is published, old files
   * are deleted at once.
   */
  #clearedFrom = 0

  constructor(parts: StatePublisherParts) {
    this.#parts = parts
    this.#folder = new PublishedFolder(parts.folder)
    const last = this.#folder.readManifest()
    const isWhole =
      last !== undefined && listPublishedFiles(last).every(file => this.#folder.has(file))
    this.#last = isWhole ? last : undefined
    this.#isSigned = this.#last !== undefined && isSignedBy(this.#last, parts.signer)
  }

  /** Publishes what has changed. Returns the manifest if it differs from the previous one. */
  async publish(): Promise<PublishedManifest | undefined> {
    const serving = await this.#publishServing()
    const files = await this.#publishFiles()
    const { clock, baseUrl } = this.#parts
    const now = clock.now()
    const next: Unsigned = {
      format: MANIFEST_FORMAT,
      serving_format: SERVING_FORMAT,
      spaces: [...spaces],
      ...serving,
      ...files,
      ...(baseUrl !== undefined && { base_url: baseUrl }),
    }
    const published = this.#isPublished(next) ? undefined : this.#replaceManifest(next, now)
    this.#removeUnlisted(next, now)
    return published
  }

  /** Tells whether the current manifest says the same. */
  #isPublished(next: Unsigned): boolean {
    if (this.#last === undefined || !this.#isSigned) return false
    const { made_at: _, signature: __, ...last } = this.#last
    return JSON.stringify(last) === JSON.stringify(next)
  }

  #replaceManifest(next: Unsigned, now: Instant): PublishedManifest {
    const { signer, journal } = this.#parts
    const dated = { ...next, made_at: toIso(now) }
    const manifest = signer ? { ...dated, signature: signManifest(dated, signer) } : dated
    this.#folder.writeManifest(manifest)
    this.#last = manifest
    this.#isSigned = true
    journal.forget(manifest.position)
    return manifest
  }

  async #publishServing(): Promise<Serving> {
    const { journal, serving, restartChain } = this.#parts
    const last = this.#last
    if (last === undefined || last.chain !== journal.chain) return this.#begin([])
    const recorded = journal.read(last.position)
    if (recorded === undefined) return pickServing(last)
    if (recorded === 'lost') {
      await restartChain()
      return this.#begin([])
    }
    const { segment, from, to } = recorded
    const { chain, base } = last
    const { seq } = serving
    const file = this.#folder.addContent([segment], 'segment')
    const segments = await this.#join([...last.segments, { ...file, from, to }])
    const bytes = segments
      .filter(segment => segment.to > base.position)
      .reduce((sum, segment) => sum + segment.bytes, 0)
    if (bytes > Math.max(SEGMENT_BYTES_MIN, base.bytes)) return this.#begin(segments)
    return { seq, chain, position: to, base, segments: dropOldSegments(segments, base) }
  }

  /** Builds a new base while commits continue; the next segment contains what it lacks of them. */
  async #begin(segments: Segment[]): Promise<Serving> {
    const { paths } = this.#parts
    if (this.#last !== undefined && segments.length === 0)
      this.#clearedFrom = this.#parts.serving.seq
    const { file, made } = await this.#folder.addMade('mdb', path =>
      makeBase(paths.servingFile, path),
    )
    const { chain, position, seq } = made
    const base = { ...file, position, byte_order: endianness() }
    // Where there are segments, the next one follows the last of them, though the base may have more.
    const last = segments.at(-1)?.to ?? position
    return { seq, chain, position: last, base, segments: dropOldSegments(segments, base) }
  }

  async #join(segments: Segment[]): Promise<Segment[]> {
    const joined = findJoinable(segments)
    if (joined === undefined) return segments
    const contents = await Promise.all(joined.map(segment => this.#folder.read(segment)))
    const file = this.#folder.addContent(contents, 'segment')
    const first = getFirst(joined)
    const segment = { ...file, from: first.from, to: getLast(joined).to }
    const start = segments.indexOf(first)
    return [...segments.slice(0, start), segment, ...segments.slice(start + joined.length)]
  }

  async #publishFiles(): Promise<
    Pick<PublishedManifest, 'log' | 'snapshot' | 'search' | 'parquet' | 'events'>
  > {
    const { paths, clock } = this.#parts
    const folder = this.#folder
    await linkTables(paths, this.#parts.folder)
    const checkpoint = readCheckpoint(paths)
    const snapshot =
      checkpoint &&
      (await folder.addLink(
        join(paths.snapshots, checkpoint.snapshot),
        'duckdb',
        checkpoint.sha256,
      ))
    const found = readSearchCheckpoint(paths)
    const search = found && (await folder.addLink(join(paths.search, found.file), 'search'))
    const today = toDay(clock.now())
    const days = listEventFiles(paths).filter(name => name < today)
    const head = existsSync(join(paths.log, HEAD))
      ? readFileSync(join(paths.log, HEAD), 'utf8')
      : undefined
    return {
      ...(head !== undefined && { log: head }),
      ...(checkpoint && snapshot && { snapshot: { ...snapshot, checkpoint } }),
      ...(found && search && { search: { ...search, checkpoint: found } }),
      parquet: await this.#link(listCopiedFiles(paths), 'parquet'),
      events: await this.#link(
        days.map(name => join(paths.events, name)),
        'ndjson',
      ),
    }
  }

  async #link(files: readonly string[], kind: 'parquet' | 'ndjson'): Promise<NamedFile[]> {
    const linked: NamedFile[] = []
    for (const path of files) {
      const file = await this.#folder.addLink(path, kind)
      if (file) linked.push({ ...file, path: relative(this.#parts.paths.dir, path) })
    }
    return linked
  }

  /** Removes files that the manifest does not name: after a while, or at once if something was taken down. */
  #removeUnlisted(manifest: Unsigned, now: Instant): void {
    const isClearing = (manifest.snapshot?.checkpoint.seq ?? 0) <= this.#clearedFrom
    const listed = new Set(listPublishedFiles(manifest).map(({ name }) => name))
    for (const name of this.#folder.list()) {
      if (listed.has(name)) this.#unlistedSince.delete(name)
      else if (isClearing || now - (this.#unlistedSince.get(name) ?? now) > GRACE_MS) {
        this.#folder.remove(name)
        this.#unlistedSince.delete(name)
      } else if (!this.#unlistedSince.has(name)) this.#unlistedSince.set(name, now)
    }
  }
}
