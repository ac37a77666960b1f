import { existsSync } from 'node:fs'
import { type Clock, type Instant, MINUTE, toIso } from '../core/clock.ts'
import { PublicError } from '../core/errors.ts'
import { limits } from '../core/limits.ts'
import { removeOldest } from '../core/present.ts'
import { readSearchCheckpoint, type SearchCheckpoint } from '../search/checkpoint.ts'
import { SearchIndex } from '../search/search-index.ts'
import type { ServingStore } from '../serving/lmdb.ts'
import { type Checkpoint, readCheckpoint } from '../store/checkpoint.ts'
import { Database } from '../store/columnar/duckdb.ts'
import { INDEX_FORMAT } from '../store/index-tables.ts'
import { type Paths, resolvePaths } from '../store/paths.ts'
import { computeReplicaLagMs, type ReplicaState, readReplicaState } from '../store/replica-state.ts'
import type { Sqlite } from '../store/sqlite.ts'
import { Caches } from './cache/caches.ts'
import { RecordFile } from './record-file.ts'
import { assertUntouched, GRACE_MS, ServingFile } from './serving-file.ts'
import { Snapshot } from './snapshot.ts'

export type { Snapshot }

/** Time for which lists use a search file that is older than the snapshot; after that they use the snapshot. */
const LISTS_DELAY_MAX_MS = 10 * MINUTE
/** Snapshots whose times are remembered, since the search file may be several snapshots old. */
const SNAPSHOT_TIMES_MAX = 1_000

/**
 * Sources of the API's answers: the serving store for lookups by key, the record for private rows, the current
 * snapshot for lists, the search file for search and for the lists it holds. All are opened read-only; nothing here writes
 * or waits for a writer.
 */
export class Reader {
  readonly paths: Paths
  readonly clock: Clock
  readonly caches = new Caches()
  readonly #queriesMax: number
  readonly #servingFile: ServingFile
  readonly #recordFile: RecordFile
  #snapshot: Snapshot | undefined
  #opened: Checkpoint | undefined
  /** Times at which the latest snapshots were made, by the commit that they show. */
  readonly #asOf = new Map<number, string>()
  #search: SearchIndex | undefined
  #searched: SearchCheckpoint | undefined
  #behindSince: Instant | undefined
  #snapshotBehindSince: Instant | undefined
  #replica: ReplicaState | undefined
  #isBehindOthers = false
  #polling: NodeJS.Timeout | undefined
  #refreshing: Promise<void> = Promise.resolve()

  /**
   * Creates a reader of a data folder. Beyond `queriesMax` concurrent snapshot queries of one kind are
   * refused.
   */
  constructor(dataDir: string, clock: Clock, queriesMax: number = limits.snapshotQueries) {
    this.paths = resolvePaths(dataDir)
    this.clock = clock
    this.#queriesMax = queriesMax
    this.#servingFile = new ServingFile(this.paths)
    this.#recordFile = new RecordFile(this.paths)
  }

  now(): Instant {
    return this.clock.now()
  }

  /** Returns the name of the current snapshot's file in `paths.snapshots`; undefined before the first. */
  get snapshotFile(): string | undefined {
    return this.#opened?.snapshot
  }

  /** Returns the serving store; undefined until the first commit. */
  get serving(): ServingStore | undefined {
    return this.#servingFile.store
  }

  /**
   * Returns the private rows; undefined before the first start of the writer. A replica has none and refuses: that
   * it knows of nothing there says nothing.
   */
  get record(): Sqlite | undefined {
    if (this.#replica === undefined) return this.#recordFile.db
    throw new PublicError('unavailable', 'this is a replica: ask the registry that it follows')
  }

  get snapshot(): Snapshot | undefined {
    return this.#snapshot
  }

  /** Returns when the snapshot that is open was made; undefined where that is not known. */
  get snapshotMadeAt(): Instant | undefined {
    const at = this.#opened?.as_of
    return at === undefined ? undefined : Date.parse(at)
  }

  /** Returns since when commits have been missing from the snapshot; undefined while it shows all of them. */
  get snapshotBehindSince(): Instant | undefined {
    return this.#snapshotBehindSince
  }

  /** Returns the search file; undefined until that of the first snapshot was built. */
  get search(): SearchIndex | undefined {
    return this.#search
  }

  /**
   * Returns the search file if lists are to be read from it. It is built after its snapshot, so until then
   * lists show the previous one. Undefined if there is none or it is too old: then the snapshot is read.
   */
  get lists(): SearchIndex | undefined {
    const isLate =
      this.#behindSince !== undefined && this.#behindSince + LISTS_DELAY_MAX_MS <= this.now()
    return isLate ? undefined : this.#search
  }

  /**
   * Finds the time up to which a view at commit `seq` is complete: now if nothing was committed after it, else
   * the time of its snapshot. Undefined if that is no longer known.
   */
  findAsOf(seq: number): string | undefined {
    if (seq >= (this.serving?.seq ?? 0)) return toIso(this.now())
    return this.#asOf.get(seq)
  }

  /** Returns the state of this host's replica; undefined if the host runs a registry of its own. */
  get replica(): ReplicaState | undefined {
    return this.#replica
  }

  /**
   * Tells whether another host may have answered what these stores lack: this one stands by, or takes over and
   * repeats the log. What they do not have may exist then, and what they have may have been revoked.
   */
  get isBehindOthers(): boolean {
    return this.#isBehindOthers
  }

  /** Returns for how many milliseconds a replica may lack commits at most; 0 for the registry itself. */
  get replicaLagMs(): number {
    return this.#replica === undefined ? 0 : computeReplicaLagMs(this.#replica, this.now())
  }

  /** Tells whether anything was committed yet. */
  get isReady(): boolean {
    return (this.serving?.seq ?? 0) > 0
  }

  /**
   * Opens the stores and checks for newer ones every `everyMs`. If a newer store cannot be opened, the
   * current one stays, `onError` gets the error, and the next check tries again.
   */
  async follow(
    everyMs: number,
    onError: (error: unknown) => void = () => undefined,
  ): Promise<void> {
    await this.refresh().catch(onError)
    this.#polling = setInterval(() => void this.refresh().catch(onError), everyMs)
    this.#polling.unref()
  }

  /**
   * Opens a newer snapshot or search file, and a serving store that was rebuilt. Each is tried; then it rejects
   * with the first error, if there was one.
   */
  refresh(): Promise<void> {
    const refreshing = this.#refreshing.then(async () => {
      const failures = [
        await captureError(() => this.#openStores()),
        await captureError(() => this.#openSnapshot()),
        await captureError(() => this.#openSearch()),
      ].filter(failure => failure !== undefined)
      this.#replica = readReplicaState(this.paths)
      const isBehind = this.#search !== undefined && this.#search.seq < (this.#snapshot?.seq ?? 0)
      this.#behindSince = isBehind ? (this.#behindSince ?? this.now()) : undefined
      const lacks = this.#snapshot !== undefined && this.#snapshot.seq < (this.serving?.seq ?? 0)
      this.#snapshotBehindSince = lacks ? (this.#snapshotBehindSince ?? this.now()) : undefined
      if (failures.length > 0) throw failures[0]
    })
    this.#refreshing = refreshing.catch(() => undefined)
    return refreshing
  }

  async close(): Promise<void> {
    clearInterval(this.#polling)
    await this.#refreshing
    await this.#servingFile.close()
    this.#recordFile.close()
    this.#snapshot?.close()
    this.#search?.close()
  }

  #openStores(): void {
    try {
      this.#recordFile.refresh()
      this.#servingFile.refresh()
    } finally {
      // Looked up after the store was opened, before anybody reads it: the mark is there before the stores of a backup are.
      this.#isBehindOthers = existsSync(this.paths.behind)
    }
  }

  async #openSnapshot(): Promise<void> {
    const checkpoint = readCheckpoint(this.paths)
    const opened = this.#opened
    // One that takes the place of a damaged one has the bytes that the other should have.
    const isOpen =
      checkpoint?.sha256 === opened?.sha256 && checkpoint?.snapshot === opened?.snapshot
    if (checkpoint === undefined || isOpen) return
    const file = `${this.paths.snapshots}/${checkpoint.snapshot}`
    if (!existsSync(file)) return
    const old = this.#snapshot
    const db = await Database.open(file, { readOnly: true, memoryLimit: '512MB' })
    try {
      const { format } = await db.oneOrThrow<{ format: number }>('select format from meta')
      if (format !== INDEX_FORMAT) return void db.close()
      this.#snapshot = await Snapshot.open(db, this.#queriesMax, old)
    } catch (error) {
      db.close()
      throw error
    }
    this.#opened = checkpoint
    this.#snapshotBehindSince = undefined
    this.#noteAsOf(checkpoint)
    if (old) setTimeout(() => old.close(), GRACE_MS).unref()
  }

  #noteAsOf({ seq, as_of }: Checkpoint): void {
    if (as_of !== undefined) this.#asOf.set(seq, as_of)
    if (this.#asOf.size > SNAPSHOT_TIMES_MAX) removeOldest(this.#asOf)
  }

  async #openSearch(): Promise<void> {
    const next = readSearchCheckpoint(this.paths)
    const known = this.#searched
    if (next === undefined || (next.seq === known?.seq && next.sha256 === known.sha256)) return
    const old = this.#search
    const isSame = next.contents === known?.contents && next.sha256 === known.sha256
    if (old && isSame && next.file === known.file) {
      this.#search = old.at(next.seq)
    } else {
      const file = `${this.paths.search}/${next.file}`
      if (!existsSync(file)) return
      assertUntouched(this.paths, file)
      this.#search = SearchIndex.open(file, next.seq)
      if (old) setTimeout(() => old.close(), GRACE_MS).unref()
    }
    this.#searched = next
  }
}

async function captureError(open: () => void | Promise<void>): Promise<unknown> {
  try {
    await open()
    return undefined
  } catch (error) {
    return error ?? new Error('not opened')
  }
}
