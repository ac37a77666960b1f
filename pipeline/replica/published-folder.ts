import {
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { copyFile, link, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { hashFile } from '../store/checkpoint.ts'
import { readJsonFile, replaceFile, syncPath } from '../store/durable-files.ts'
import {
  FILE_NAME,
  FILES,
  type FileKind,
  MANIFEST,
  nameContent,
  type PublishedFile,
  PublishedManifest,
} from './manifest.ts'

/** Holds the published files of this host, each under the hash of its content, and their manifest. */
export class PublishedFolder {
  readonly #folder: string
  readonly #files: string
  /** Names of files that lie elsewhere too, by their path, size and time. */
  readonly #linked = new Map<string, PublishedFile>()

  constructor(folder: string) {
    this.#folder = folder
    this.#files = join(folder, FILES)
  }

  readManifest(): PublishedManifest | undefined {
    return readJsonFile(join(this.#folder, MANIFEST), PublishedManifest)
  }

  writeManifest(manifest: PublishedManifest): void {
    replaceFile(join(this.#folder, MANIFEST), `${JSON.stringify(manifest)}\n`)
  }

  getPath(name: string): string {
    return join(this.#files, name)
  }

  /** Tells whether a file is there, whole. */
  has({ name, bytes }: PublishedFile): boolean {
    return statSync(this.getPath(name), { throwIfNoEntry: false })?.size === bytes
  }

  read({ name }: PublishedFile): Promise<Buffer> {
    return readFile(this.getPath(name))
  }

  /** Adds content as a file. */
  addContent(content: readonly Uint8Array[], kind: FileKind): PublishedFile {
    const [first] = content
    const whole = first !== undefined && content.length === 1 ? first : Buffer.concat(content)
    const file = { name: nameContent(whole, kind), bytes: whole.length }
    if (this.has(file)) return file
    const fresh = this.#begin()
    const descriptor = openSync(fresh, 'w')
    try {
      writeSync(descriptor, whole)
    } finally {
      closeSync(descriptor)
    }
    this.#finish(fresh, file)
    return file
  }

  /** Adds a file that `write` makes at the path that it is given. */
  async addMade<Made>(
    kind: FileKind,
    write: (path: string) => Promise<Made>,
  ): Promise<{ file: PublishedFile; made: Made }> {
    const fresh = this.#begin()
    const made = await write(fresh)
    const file = { name: `${await hashFile(fresh)}.${kind}`, bytes: statSync(fresh).size }
    this.#finish(fresh, file)
    return { file, made }
  }

  /** Adds an immutable file of DATA_DIR by a hard link. Undefined if the file no longer exists. */
  async addLink(path: string, kind: FileKind, hash?: string): Promise<PublishedFile | undefined> {
    const stats = statSync(path, { throwIfNoEntry: false, bigint: true })
    if (stats === undefined) return undefined
    const mark = `${path} ${stats.size} ${stats.mtimeNs}`
    const known = this.#linked.get(mark)
    if (known !== undefined && this.has(known)) return known
    const name = `${hash ?? (await hashFile(path))}.${kind}`
    const file = { name, bytes: Number(stats.size) }
    if (!this.has(file)) {
      const fresh = this.#begin()
      await linkOrCopy(path, fresh)
      renameSync(fresh, this.getPath(name))
      // Renaming one name of a file to another one of it does nothing.
      rmSync(fresh, { force: true })
    }
    this.#linked.set(mark, file)
    return file
  }

  list(): string[] {
    if (!existsSync(this.#files)) return []
    return readdirSync(this.#files).filter(name => FILE_NAME.test(name))
  }

  remove(name: string): void {
    rmSync(this.getPath(name), { force: true })
    for (const [mark, file] of this.#linked) if (file.name === name) this.#linked.delete(mark)
  }

  #begin(): string {
    mkdirSync(this.#files, { recursive: true })
    const fresh = join(this.#folder, 'made.new')
    rmSync(fresh, { force: true })
    return fresh
  }

  #finish(fresh: string, { name }: PublishedFile): void {
    syncPath(fresh)
    renameSync(fresh, this.getPath(basename(name)))
    syncPath(this.#files)
  }
}

/** Gives a file a second name; on another disk, a copy. */
export async function linkOrCopy(from: string, to: string): Promise<void> {
  try {
    await link(from, to)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error
    await copyFile(from, to, constants.COPYFILE_FICLONE)
    syncPath(to)
  }
}
