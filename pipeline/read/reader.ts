import { existsSync } from 'node:fs'
import { type Clock, type Instant, MINUTE, toIso } from '../core/clock.ts'
import { limits } from '../core/limits.ts'
import { readSearchCheckpoint, type SearchCheckpoint } from '../search/checkpoint.ts'
import { SearchIndex } from '../search/search-index.ts'
import type { ServingStore } from '../serving/lmdb.ts'
import { type Checkpoint, readCheckpoint } from '../store/checkpoint.ts'
import { Database } from '../store/duckdb.ts'
import { findFormat, findNewestFormat } from '../store/migrations.ts'
import { type Paths, resolvePaths } from '../store/paths.ts'
import { Caches } from './cache/caches.ts'
import { assertUntouched, GRACE_MS, ServingFile } from './serving-file.ts'
import { Snapshot } from './snapshot.ts'

export type { Snapshot }

/** For so long lists show what the search file does while that is behind the snapshot. */
const LISTS_BEHIND_MS = 10 * MINUTE
/** The search file may be some behind. */
const SNAPSHOTS_REMEMBERED = 1_000

/**
 * Sources of the API's answers: the serving store for lookups by key, the current snapshot for lists,
 * the search file for search and for the lists it holds. All are opened read-only; nothing here writes
 * or waits for a writer.
 */
export class Reader {
  readonly paths: Paths
  readonly clock: Clock
  readonly caches = new Caches()
  readonly #most: number
  readonly #servingFile: ServingFile
  #snapshot: Snapshot | undefined
  #opened: Checkpoint | undefined
  /** Times at which the latest snapshots were made, by the commit that they show. */
  readonly #asOf = new Map<number, string>()
  #search: SearchIndex | undefined
  #searched: SearchCheckpoint | undefined
  #behindSince: Instant | undefined
  #polling: NodeJS.Timeout | undefined
  #refreshing: Promise<void> = Promise.resolve()

  /** Creates a reader; at most `most` queries of one kind run on a snapshot at once, and more are refused. */
  constructor(dataDir: string, clock: Clock, most: number = limits.snapshotQueries) {
    this.paths = resolvePaths(dataDir)
    this.clock = clock
    this.#most = most
    this.#servingFile = new ServingFile(this.paths)
  }

  now(): Instant {
    return this.clock.now()
  }

  /** Returns the serving store; undefined until the first commit. */
  get serving(): ServingStore | undefined {
    return this.#servingFile.store
  }

  get snapshot(): Snapshot | undefined {
    return this.#snapshot
  }

  /** Returns the search file; undefined until that of the first snapshot was built. */
  get search(): SearchIndex | undefined {
    return this.#search
  }

  /**
   * Returns the search file for lists, if there is one. It is built after its snapshot, so until then lists
   * show the one before; without any, they are read from the snapshot.
   */
  get lists(): SearchIndex | undefined {
    const isLate =
      this.#behindSince !== undefined && this.#behindSince + LISTS_BEHIND_MS <= this.now()
    return isLate ? undefined : this.#search
  }

  /**
   * Finds until when everything that was committed is in what shows this commit: until now where nothing
   * came after it. Undefined where that is not known any more.
   */
  findAsOf(seq: number): string | undefined {
    if (seq >= (this.serving?.seq ?? 0)) return toIso(this.now())
    return this.#asOf.get(seq)
  }

  get isReady(): boolean {
    return (this.serving?.seq ?? 0) > 0
  }

  /**
   * Opens the stores and checks for newer ones every `everyMs`. Where a newer store cannot be
   * opened the current one stays, `tell` receives the error, and it is retried.
   */
  async follow(everyMs: number, tell: (error: unknown) => void = () => undefined): Promise<void> {
    await this.refresh().catch(tell)
    this.#polling = setInterval(() => void this.refresh().catch(tell), everyMs)
    this.#polling.unref()
  }

  /**
   * Opens a newer snapshot or a serving store that was made again. Fails where one of them cannot be opened,
   * when the others are open.
   */
  refresh(): Promise<void> {
    const refreshing = this.#refreshing.then(async () => {
      const failures = [
        await captureError(() => this.#servingFile.refresh()),
        await captureError(() => this.#openSnapshot()),
        await captureError(() => this.#openSearch()),
      ].filter(failure => failure !== undefined)
      const isBehind = this.#search !== undefined && this.#search.seq < (this.#snapshot?.seq ?? 0)
      this.#behindSince = isBehind ? (this.#behindSince ?? this.now()) : undefined
      if (failures.length > 0) throw failures[0]
    })
    this.#refreshing = refreshing.catch(() => undefined)
    return refreshing
  }

  async close(): Promise<void> {
    clearInterval(this.#polling)
    await this.#refreshing
    await this.#servingFile.close()
    this.#snapshot?.close()
    await this.#search?.close()
  }

  async #openSnapshot(): Promise<void> {
    const checkpoint = readCheckpoint(this.paths)
    if (checkpoint === undefined || checkpoint.snapshot === this.#opened?.snapshot) return
    const file = `${this.paths.snapshots}/${checkpoint.snapshot}`
    if (!existsSync(file)) return
    const old = this.#snapshot
    const db = await Database.open(file, { readOnly: true, memoryLimit: '512MB' })
    try {
      if ((await findFormat(db)) !== findNewestFormat('index')) return void db.close()
      this.#snapshot = await Snapshot.of(db, this.#most, old)
    } catch (error) {
      db.close()
      throw error
    }
    this.#opened = checkpoint
    this.#noteAsOf(checkpoint)
    if (old) setTimeout(() => old.close(), GRACE_MS).unref()
  }

  #noteAsOf({ seq, as_of }: Checkpoint): void {
    if (as_of !== undefined) this.#asOf.set(seq, as_of)
    if (this.#asOf.size > SNAPSHOTS_REMEMBERED) this.#asOf.delete(this.#asOf.keys().next().value!)
  }

  async #openSearch(): Promise<void> {
    const next = readSearchCheckpoint(this.paths)
    if (next === undefined || next.seq === this.#searched?.seq) return
    const old = this.#search
    if (old && next.file === this.#searched?.file && next.contents === this.#searched.contents) {
      this.#search = old.at(next.seq)
    } else {
      const file = `${this.paths.search}/${next.file}`
      if (!existsSync(file)) return
      assertUntouched(this.paths, file)
      this.#search = await SearchIndex.open(file, next.seq)
      if (old) setTimeout(() => void old.close(), GRACE_MS).unref()
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
