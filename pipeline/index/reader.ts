import { existsSync, statSync } from 'node:fs'
import { type Clock, type Instant, MINUTE } from '../core/clock.ts'
import { limits } from '../core/limits.ts'
import { Database } from './duckdb.ts'
import { type Paths, pathsOf } from './paths.ts'
import { Snapshot } from './published.ts'
import { readSearchCheckpoint, type SearchCheckpoint } from './search/checkpoint.ts'
import { SearchIndex } from './search/search-index.ts'
import { ServingStore } from './serving.ts'
import { type Checkpoint, readCheckpoint } from './snapshot.ts'

export type { Snapshot }

/** For so long lists show what the search file does while that is behind the snapshot. */
const LISTS_BEHIND_MS = 10 * MINUTE
/** Readers of a store that was replaced get this long to finish. */
const GRACE_MS = 30_000

/**
 * What the API is answered from: the serving store for questions by key, the current snapshot for
 * lists, the search file for finding and for lists that it holds. All are opened read-only; nothing here writes or waits for a writer.
 */
export class Reader {
  readonly paths: Paths
  readonly clock: Clock
  readonly #most: number
  #serving: { store: ServingStore; inode: number } | undefined
  #snapshot: Snapshot | undefined
  #opened: Checkpoint | undefined
  #search: SearchIndex | undefined
  #searched: SearchCheckpoint | undefined
  #behindSince: Instant | undefined
  #polling: NodeJS.Timeout | undefined
  #refreshing: Promise<void> = Promise.resolve()

  /** `most` questions to a snapshot at once; what comes beyond that is refused. */
  constructor(dataDir: string, clock: Clock, most: number = limits.snapshotQueries) {
    this.paths = pathsOf(dataDir)
    this.clock = clock
    this.#most = most
  }

  now(): Instant {
    return this.clock.now()
  }

  /** Undefined until something was committed. */
  get serving(): ServingStore | undefined {
    return this.#serving?.store
  }

  get snapshot(): Snapshot | undefined {
    return this.#snapshot
  }

  /** Undefined until the search file of the first snapshot was made. */
  get search(): SearchIndex | undefined {
    return this.#search
  }

  /**
   * What lists are read from where it can be: the search file. It is made of a snapshot after that has
   * come, so until then lists show the one before; if none comes, they are asked of the snapshot.
   */
  get lists(): SearchIndex | undefined {
    const isLate =
      this.#behindSince !== undefined && this.#behindSince + LISTS_BEHIND_MS <= this.now()
    return isLate ? undefined : this.#search
  }

  get isReady(): boolean {
    return this.#serving !== undefined && this.#serving.store.seq > 0
  }

  /** Opens what there is and looks for newer stores every `everyMs`. */
  async follow(everyMs: number): Promise<void> {
    await this.refresh()
    this.#polling = setInterval(() => void this.refresh(), everyMs)
    this.#polling.unref()
  }

  /** Opens a newer snapshot or a serving store that was made again. */
  refresh(): Promise<void> {
    this.#refreshing = this.#refreshing.then(async () => {
      this.#openServing()
      await this.#openSnapshot()
      await this.#openSearch()
      const isBehind = this.#search !== undefined && this.#search.seq < (this.#snapshot?.seq ?? 0)
      this.#behindSince = isBehind ? (this.#behindSince ?? this.now()) : undefined
    })
    return this.#refreshing
  }

  async close(): Promise<void> {
    clearInterval(this.#polling)
    await this.#refreshing
    await this.#serving?.store.close()
    this.#snapshot?.close()
    await this.#search?.close()
  }

  #openServing(): void {
    if (!existsSync(this.paths.servingFile)) return
    const { ino } = statSync(this.paths.servingFile)
    if (this.#serving?.inode === ino) return
    const old = this.#serving?.store
    this.#serving = {
      store: ServingStore.open(this.paths.servingFile, { readOnly: true }),
      inode: ino,
    }
    if (old) setTimeout(() => void old.close(), GRACE_MS).unref()
  }

  async #openSnapshot(): Promise<void> {
    const checkpoint = readCheckpoint(this.paths)
    if (checkpoint === undefined || checkpoint.snapshot === this.#opened?.snapshot) return
    const file = `${this.paths.snapshots}/${checkpoint.snapshot}`
    if (!existsSync(file)) return
    const old = this.#snapshot
    const db = await Database.open(file, { readOnly: true, memoryLimit: '512MB' })
    this.#snapshot = await Snapshot.of(db, this.#most, old)
    this.#opened = checkpoint
    if (old) setTimeout(() => old.close(), GRACE_MS).unref()
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
      this.#search = await SearchIndex.open(file, next.seq)
      if (old) setTimeout(() => void old.close(), GRACE_MS).unref()
    }
    this.#searched = next
  }
}
