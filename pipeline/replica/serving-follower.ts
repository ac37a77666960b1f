import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { endianness } from 'node:os'
import { basename, join } from 'node:path'
import { ServingStore } from '../serving/lmdb.ts'
import { replaceFolder, syncPath } from '../store/durable-files.ts'
import { PRIVATE_FOLDER_MODE } from '../store/paths.ts'
import { applySegment } from './apply-segment.ts'
import { fetchFile } from './fetch-file.ts'
import type { FollowerParts } from './file-follower.ts'
import type { PublishedManifest } from './manifest.ts'

type Base = PublishedManifest['base']

/** Follows the serving store: a base is copied once, and then each commit is applied as the origin made it. */
export class ServingFollower {
  readonly #parts: FollowerParts
  #store: ServingStore | undefined
  /** Bases that are no store of their manifest. They are not copied again: their names say their content. */
  readonly #rejected = new Map<string, string>()

  constructor(parts: FollowerParts) {
    this.#parts = parts
    const { servingFile } = parts.paths
    if (existsSync(servingFile)) this.#store = ServingStore.open(servingFile)
  }

  /** Tells whether nothing was copied yet. */
  get isEmpty(): boolean {
    return this.#store === undefined
  }

  /** Returns the last commit that the store shows; 0 while there is none. */
  get seq(): number {
    return this.#store?.seq ?? 0
  }

  async close(): Promise<void> {
    await this.#store?.close()
  }

  /** Copies and applies what the store lacks of a manifest. Rejects with a sentence where that fails. */
  async follow({ chain, base, segments, position }: PublishedManifest): Promise<void> {
    const { origin, paths } = this.#parts
    const store = this.#store
    const known = store?.chain === chain ? store : undefined
    if (known !== undefined && known.position >= position) return
    const first = segments[0]?.from ?? Infinity
    const follows =
      known !== undefined && first <= known.position + 1
        ? known
        : await this.#bootstrap(base, chain)
    for (const segment of segments) {
      if (segment.to <= follows.position) continue
      const path = join(paths.copying, segment.name)
      await fetchFile(origin, segment, path)
      await applySegment(follows, path)
      rmSync(path)
      if (follows.position < segment.to)
        throw new Error(
          `${segment.name} of ${origin.name} lacks commits that its manifest promises`,
        )
    }
  }

  /** Copies a store and replaces the old one with it; readers then open the new one. */
  async #bootstrap(base: Base, chain: string): Promise<ServingStore> {
    const { origin, paths, log } = this.#parts
    if (base.byte_order !== endianness())
      throw new Error(
        `${origin.name} runs on another kind of machine: its store is unreadable here`,
      )
    const refuse = (why: string) =>
      new Error(`the base of ${origin.name} is not used, and what was here is kept: ${why}`)
    const known = this.#rejected.get(base.name)
    if (known !== undefined) throw refuse(known)
    const path = join(paths.copying, base.name)
    await fetchFile(origin, base, path)
    const fresh = `${paths.serving}.new`
    rmSync(fresh, { recursive: true, force: true })
    mkdirSync(fresh, { recursive: true, mode: PRIVATE_FOLDER_MODE })
    const file = join(fresh, basename(paths.servingFile))
    renameSync(path, file)
    const fault = await checkBase(file, base, chain)
    if (fault !== undefined) {
      rmSync(fresh, { recursive: true })
      this.#rejected.set(base.name, fault)
      throw refuse(fault)
    }
    await this.#store?.close()
    // With its lock file: that of another store would mislead readers.
    replaceFolder(fresh, paths.serving)
    this.#store = ServingStore.open(paths.servingFile)
    log.info({ chain, seq: this.#store.seq }, 'copied the serving store')
    return this.#store
  }
}

/** Opens a copied base, and compares it with what its manifest says; returns the fault in words. */
async function checkBase(file: string, base: Base, chain: string): Promise<string | undefined> {
  try {
    const store = ServingStore.open(file, { readOnly: true })
    try {
      if (!store.isComplete || !store.isReplica) return 'it is no store of a replica'
      if (store.chain !== chain) return 'it is of another chain of commits than its manifest'
      if (store.position !== base.position) return 'it has other commits than its manifest says'
    } finally {
      await store.close()
    }
  } catch (error) {
    // LMDB numbers its own errors below zero; those of the system, such as too many open files, may pass.
    const { code = -1, message } = error as Error & { code?: number | string }
    if (typeof code === 'string' || code > 0) throw error
    return message
  }
  rmSync(`${file}-lock`, { force: true })
  syncPath(file)
  return undefined
}
