import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { CallerShares } from '../limits/caller-shares.ts'

const NAME = /^[0-9a-f]{64}\.png$/
const PRIVATE_FOLDER_MODE = 0o700

/**
 * Caches pictures in a folder, so that a process that starts need not draw them again. Their size is limited, and
 * shared by the callers for whom they were drawn. Whatever fails here costs time only: the folder may be lost,
 * and the disk may be full.
 */
export class PictureFiles {
  readonly #folder: string
  readonly #shares: CallerShares<string>
  #opening: Promise<void> | undefined

  constructor(folder: string, maxBytes: number) {
    this.#folder = folder
    this.#shares = new CallerShares(maxBytes)
  }

  /** Reads a picture by the hash of what it shows; undefined if there is none. */
  async find(hash: string): Promise<Buffer | undefined> {
    await this.#open()
    return readFile(this.#locate(`${hash}.png`)).catch(() => undefined)
  }

  /** Writes a picture that was drawn for a caller, and deletes the oldest of the caller with most. */
  async keep(hash: string, picture: Buffer, caller: string): Promise<void> {
    await this.#open()
    const name = `${hash}.png`
    const unfinished = this.#locate(`${name}.${process.pid}`)
    try {
      await writeFile(unfinished, picture)
      await rename(unfinished, this.#locate(name))
      await this.#delete(this.#shares.add(caller, name, picture.length))
    } catch {
      await rm(unfinished, { force: true }).catch(() => undefined)
    }
  }

  #locate(name: string): string {
    return join(this.#folder, name)
  }

  #open(): Promise<void> {
    this.#opening ??= this.#list().catch(() => undefined)
    return this.#opening
  }

  /** Counts the pictures that are there, the oldest first, and deletes what is too much or was not finished. */
  async #list(): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: PRIVATE_FOLDER_MODE })
    const names = await readdir(this.#folder)
    const found = await Promise.all(
      names.map(async name => ({ name, ...(await stat(this.#locate(name))) })),
    )
    for (const { name, size } of found.sort((a, b) => a.mtimeMs - b.mtimeMs)) {
      await this.#delete(NAME.test(name) ? this.#shares.add('', name, size) : [name])
    }
  }

  async #delete(names: readonly string[]): Promise<void> {
    for (const name of names) await rm(this.#locate(name), { force: true })
  }
}
