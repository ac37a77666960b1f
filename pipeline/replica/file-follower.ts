import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Clock } from '../core/clock.ts'
import type { Log } from '../core/log.ts'
import { readSearchCheckpoint, type SearchCheckpoint } from '../search/checkpoint.ts'
import { SEARCH_FORMAT } from '../search/search-index.ts'
import { advance, listSnapshots, readCheckpoint } from '../store/checkpoint.ts'
import { replaceFile, syncPath } from '../store/durable-files.ts'
import type { Paths } from '../store/paths.ts'
import { fetchFile } from './fetch-file.ts'
import { getHash, type PublishedFile, type PublishedManifest } from './manifest.ts'
import type { Origin } from './origin.ts'

/** Parts that following needs. */
export interface FollowerParts {
  origin: Origin
  paths: Paths
  clock: Clock
  log: Log
  /** Key of the origin's log, where the operator knows it. */
  logKey?: string | undefined
}

/** Follows the snapshot and the search file, one copy at a time, while commits are followed beside it. */
export class FileFollower {
  readonly #parts: FollowerParts
  #wanted: PublishedManifest | undefined
  #copying: Promise<void> | undefined
  #failure: Error | undefined

  constructor(parts: FollowerParts) {
    this.#parts = parts
  }

  get isCopying(): boolean {
    return this.#copying !== undefined
  }

  /** Rejects once with the failure of a copy. */
  get failure(): Promise<void> {
    const failure = this.#failure
    this.#failure = undefined
    return failure === undefined ? Promise.resolve() : Promise.reject(failure)
  }

  /**
   * Starts to copy the files of this manifest that are missing here. Files of earlier manifests are skipped.
   */
  follow(manifest: PublishedManifest): void {
    this.#wanted = manifest
    if (this.#copying !== undefined || !this.#isBehind(manifest)) return
    this.#copying = this.#copy().finally(() => {
      this.#copying = undefined
    })
    this.#copying.catch(error => {
      this.#failure = error
    })
  }

  /** Resolves when everything is copied. */
  async settle(): Promise<void> {
    await this.#copying
    await this.failure
  }

  #isBehind({ snapshot, search }: PublishedManifest): boolean {
    const { paths } = this.#parts
    return (
      (snapshot !== undefined && snapshot.checkpoint.sha256 !== readCheckpoint(paths)?.sha256) ||
      (search !== undefined &&
        // The file of another version is of no use here.
        search.checkpoint.format === SEARCH_FORMAT &&
        (search.checkpoint.seq !== readSearchCheckpoint(paths)?.seq || !this.#hasSearch(search)))
    )
  }

  async #copy(): Promise<void> {
    while (this.#wanted !== undefined && this.#isBehind(this.#wanted)) {
      await this.#copySnapshot(this.#wanted)
      await this.#copySearch(this.#wanted)
    }
  }

  async #copySnapshot({ snapshot }: PublishedManifest): Promise<void> {
    const { paths } = this.#parts
    if (snapshot === undefined) return
    const { checkpoint } = snapshot
    const before = readCheckpoint(paths)
    if (checkpoint.sha256 === before?.sha256) return
    await this.#fetch(snapshot, join(paths.snapshots, checkpoint.snapshot))
    advance(paths, checkpoint)
    // Not by their numbers, which begin anew after a restore. Readers may still open the one before.
    for (const name of listSnapshots(paths))
      if (name !== checkpoint.snapshot && name !== before?.snapshot)
        rmSync(join(paths.snapshots, name))
  }

  async #copySearch({ search }: PublishedManifest): Promise<void> {
    const { paths } = this.#parts
    if (search === undefined || search.checkpoint.format !== SEARCH_FORMAT) return
    const { checkpoint } = search
    const file = join(paths.search, checkpoint.file)
    const before = readSearchCheckpoint(paths)
    if (!this.#hasSearch(search)) await this.#fetch(search, file)
    const copied: SearchCheckpoint = { ...checkpoint, sha256: getHash(search) }
    replaceFile(paths.searchCheckpoint, `${JSON.stringify(copied)}\n`)
    for (const name of readdirSync(paths.search)) {
      if (/^\d+\.search/.test(name) && name !== checkpoint.file && name !== before?.file)
        rmSync(join(paths.search, name), { force: true })
    }
  }

  #hasSearch(search: NonNullable<PublishedManifest['search']>): boolean {
    const { paths } = this.#parts
    const known = readSearchCheckpoint(paths)
    const isSame = known?.file === search.checkpoint.file && known.sha256 === getHash(search)
    return isSame && existsSync(join(paths.search, known.file))
  }

  /** Copies a file to its place; a process that has an earlier file of that name open can go on reading it. */
  async #fetch(file: PublishedFile, target: string): Promise<void> {
    const { origin, paths } = this.#parts
    const copy = join(paths.copying, file.name)
    await fetchFile(origin, file, copy)
    mkdirSync(dirname(target), { recursive: true })
    renameSync(copy, target)
    syncPath(dirname(target))
  }
}
