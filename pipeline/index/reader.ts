import { existsSync, statSync } from 'node:fs'
import type { Clock, Instant } from '../core/clock.ts'
import { Database } from './duckdb.ts'
import { type Paths, pathsOf } from './paths.ts'
import { Snapshot } from './published.ts'
import { readSearchCheckpoint, type SearchCheckpoint } from './search/checkpoint.ts'
import { SearchIndex } from './search/search-index.ts'
import { ServingStore } from './serving.ts'
import { type Checkpoint, readCheckpoint } from './snapshot.ts'

export type { Snapshot }

/** Readers of a store that was replaced get this long to finish. */
const GRACE_MS = 30_000

/**
 * What the API is answered from: the serving store for questions by key, the current snapshot for
 * lists, the search file for finding. All are opened read-only; nothing here writes or waits for a writer.
 */
export class Reader {
  readonly paths: Paths
  readonly clock: Clock
  #serving: { store: ServingStore; inode: number } | undefined
  #snapshot: Snapshot | undefined
  #opened: Checkpoint | undefined
  #search: SearchIndex | undefined
  #searched: SearchCheckpoint | undefined
  #polling: NodeJS.Timeout | undefined
  #refreshing: Promise<void> = Promise.resolve()

  constructor(dataDir: string, clock: Clock) {
    this.paths = pathsOf(dataDir)
    this.clock = clock
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
    this.#snapshot = await Snapshot.of(db, old)
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
