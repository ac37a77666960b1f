import { statSync } from 'node:fs'
import { SERVING_FORMAT, ServingStore } from '../serving/lmdb.ts'
import type { Paths } from '../store/paths.ts'
import { isTampered } from '../store/seals.ts'

/** Readers of a store that was replaced get this long to finish. */
export const GRACE_MS = 30_000

/** Follows the file of the serving store, which the writer may replace by a new one. */
export class ServingFile {
  readonly #paths: Paths
  #open: { store: ServingStore; inode: number } | undefined

  constructor(paths: Paths) {
    this.#paths = paths
  }

  /** Returns the open store; undefined until there is a complete one of this version. */
  get store(): ServingStore | undefined {
    return this.#open?.store
  }

  /** Shows what was committed, and opens the file if it was replaced. Throws if it cannot be opened. */
  refresh(): void {
    this.#open?.store.refresh()
    const found = statSync(this.#paths.servingFile, { throwIfNoEntry: false })
    if (found === undefined || this.#open?.inode === found.ino) return
    assertUntouched(this.#paths, this.#paths.servingFile)
    const store = ServingStore.open(this.#paths.servingFile, { readOnly: true })
    if (!store.isComplete || !isOfThisVersion(store)) {
      void store.close()
      return
    }
    const old = this.#open?.store
    this.#open = { store, inode: found.ino }
    if (old) setTimeout(() => void old.close(), GRACE_MS).unref()
  }

  async close(): Promise<void> {
    await this.#open?.store.close()
  }
}

/**
 * Tells whether this version of the registry wrote the store; the indexer rebuilds a store of any other
 * version.
 */
function isOfThisVersion({ format = SERVING_FORMAT }: ServingStore): boolean {
  return format === SERVING_FORMAT
}

/**
 * Throws if something other than the registry changed the file: reading it could crash the process. The
 * indexer rebuilds it.
 */
export function assertUntouched(paths: Paths, file: string): void {
  if (isTampered(paths, file)) throw new Error(`${file} is damaged: the indexer rebuilds it`)
}
