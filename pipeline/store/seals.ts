import { closeSync, existsSync, openSync, readFileSync, statSync, writeSync } from 'node:fs'
import { join, relative } from 'node:path'
import { z } from 'zod'
import { toDay } from '../core/clock.ts'
import { toInstant } from '../core/uuid-v7.ts'
import type { FeedEvent } from '../model/event.ts'
import type { Paths } from './paths.ts'

/**
 * State of the sealed files. `shut`: no commit is under way, so they are as recorded. `open`: a commit is, so
 * they may differ. `test`: a start is opening them.
 */
type State = 'shut' | 'open' | 'test'

/** Size and modification time of each file, by its path below DATA_DIR. */
type FileStamps = Map<string, string>

const Stored = z.record(z.string(), z.string())
const STATE_BYTES = 'shut'.length

/**
 * Records the sizes and modification times of the derived files as the registry left them. A file that
 * differs was changed by something else. So a start finds damage in a store of any size for the price of one
 * `stat`, without reading it.
 */
export class Seals {
  readonly #paths: Paths
  readonly #descriptor: number
  readonly #stamps: FileStamps
  /** Files and folders that are being written beside commits. */
  readonly #unfinished = new Set<string>()
  /** State that the previous process left. */
  readonly #previousState: State
  #state: State
  #length = 0
  #isClosed = false

  private constructor(paths: Paths, descriptor: number, read: StoredSeals) {
    this.#paths = paths
    this.#descriptor = descriptor
    this.#stamps = read.stamps
    this.#previousState = read.state
    this.#state = read.state
  }

  /** Opens the seals of a data folder. The caller must hold the lease. */
  static open(paths: Paths): Seals {
    const read = readSeals(paths) ?? { state: 'open', stamps: new Map() }
    const descriptor = openSync(paths.seals, existsSync(paths.seals) ? 'r+' : 'w+')
    const seals = new Seals(paths, descriptor, read)
    seals.#length = statSync(paths.seals).size
    return seals
  }

  /** Tells whether the previous start crashed while it was opening the files. */
  get wasStartInterrupted(): boolean {
    return this.#previousState === 'test'
  }

  /** Tells whether something else changed or removed this file. */
  isChanged(path: string): boolean {
    return this.#previousState === 'shut' && isDifferent(this.#stamps, this.#paths, path)
  }

  /** Lists the recorded files below a folder; of a file, itself. */
  listIn(folder: string): string[] {
    const files = [...this.#stamps.keys()].map(name => join(this.#paths.dir, name))
    return files.filter(file => isWithin(file, folder))
  }

  /** Records that a start begins to open the files; if it crashes, the next one knows (`wasStartInterrupted`). */
  beginTest(): void {
    this.#write('test')
  }

  /** Records that a start opened the files and ends without a change, as where it is refused. */
  endTest(): void {
    this.#write(this.#previousState === 'shut' ? 'shut' : 'open')
  }

  /** Records that files are about to change: until they are sealed again, no difference counts as damage. */
  unseal(): void {
    if (this.#state === 'open') return
    this.#state = 'open'
    writeSync(this.#descriptor, 'open', 0)
  }

  /** Records that a file, or those of a folder, are about to be written beside commits: nothing seals them meanwhile. */
  beginWriting(path: string): void {
    this.#unfinished.add(path)
    this.forget(path)
    this.#write(this.#state)
  }

  /** Records the size and time of these files, which were written. */
  endWriting(path: string, files: readonly string[] = [path]): void {
    this.#unfinished.delete(path)
    this.note(...files)
  }

  /** Records the size and time of these files; those that do not exist are forgotten. */
  note(...files: string[]): void {
    for (const file of files) this.#mark(file)
    this.#write(this.#state)
  }

  /** Records the size and time of these files, and that no commit is under way. */
  seal(...files: string[]): void {
    for (const file of files) this.#mark(file)
    this.#write('shut')
  }

  /** Seals the files that a commit with these events has written. */
  sealCommit(events: readonly FeedEvent[]): void {
    const days = new Set(events.map(({ event_id }) => toDay(toInstant(event_id))))
    const { servingFile } = this.#paths
    this.seal(servingFile, ...[...days].map(day => this.#paths.eventFile(day)))
  }

  /** Seals exactly these files; all others are forgotten. */
  sealOnly(files: readonly string[]): void {
    this.forget(this.#paths.dir)
    this.seal(...files)
  }

  /** Forgets the record of a file, or those of all files below a folder. */
  forget(folder: string): void {
    for (const file of this.listIn(folder)) this.#stamps.delete(relative(this.#paths.dir, file))
  }

  close(): void {
    if (!this.#isClosed) closeSync(this.#descriptor)
    this.#isClosed = true
  }

  #mark(file: string): void {
    const isUnfinished = [...this.#unfinished].some(path => isWithin(file, path))
    const mark = isUnfinished ? undefined : readMark(file)
    const name = relative(this.#paths.dir, file)
    if (mark === undefined) this.#stamps.delete(name)
    else this.#stamps.set(name, mark)
  }

  /**
   * Writes the file at once, never shorter than before: a process that is killed leaves the old text or the
   * new.
   */
  #write(state: State): void {
    this.#state = state
    const text = `${state}${JSON.stringify(Object.fromEntries(this.#stamps))}`
    this.#length = Math.max(this.#length, Buffer.byteLength(text))
    writeSync(this.#descriptor, text.padEnd(this.#length), 0)
  }
}

/**
 * Tells whether something other than the registry changed a file. For processes that read beside the writer:
 * false if the writer has written meanwhile, since then nothing can be said.
 */
export function isTampered(paths: Paths, path: string): boolean {
  const before = readSeals(paths)
  if (before?.state !== 'shut' || !isDifferent(before.stamps, paths, path)) return false
  const after = readSeals(paths)
  const name = relative(paths.dir, path)
  return after?.state === 'shut' && after.stamps.get(name) === before.stamps.get(name)
}

/** Tells whether a file is as the registry left it when it was closed; false where it ended otherwise. */
export function isAsSealed(paths: Paths, path: string): boolean {
  const known = readSeals(paths)?.stamps.get(relative(paths.dir, path))
  return known !== undefined && known === readMark(path)
}

/** Lists the files that something other than the registry has changed since it stopped. */
export function listTampered(paths: Paths): string[] {
  const names = [...(readSeals(paths)?.stamps.keys() ?? [])]
  return names.map(name => join(paths.dir, name)).filter(file => isTampered(paths, file))
}

/** The seals as their file holds them. */
interface StoredSeals {
  state: State
  stamps: FileStamps
}

function readSeals(paths: Paths): StoredSeals | undefined {
  if (!existsSync(paths.seals)) return undefined
  const text = readFileSync(paths.seals, 'utf8')
  const state = (['shut', 'open', 'test'] as const).find(name => text.startsWith(name))
  if (state === undefined) return undefined
  try {
    return {
      state,
      stamps: new Map(Object.entries(Stored.parse(JSON.parse(text.slice(STATE_BYTES))))),
    }
  } catch {
    return undefined
  }
}

/** Tells whether a file differs from its record; one without a record does not. */
function isDifferent(stamps: FileStamps, paths: Paths, path: string): boolean {
  const known = stamps.get(relative(paths.dir, path))
  return known !== undefined && known !== readMark(path)
}

function isWithin(file: string, folder: string): boolean {
  return file === folder || file.startsWith(`${folder}/`)
}

function readMark(file: string): string | undefined {
  const found = statSync(file, { bigint: true, throwIfNoEntry: false })
  return found && `${found.size} ${found.mtimeNs}`
}
