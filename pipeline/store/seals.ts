import { closeSync, existsSync, openSync, readFileSync, statSync, writeSync } from 'node:fs'
import { join, relative } from 'node:path'
import { z } from 'zod'
import { toDay } from '../core/clock.ts'
import { toInstant } from '../core/uuid-v7.ts'
import type { FeedEvent } from '../model/event.ts'
import type { Paths } from './paths.ts'

/**
 * State of the sealed files: `shut`, no commit is under way, so they are as recorded; `open`, a
 * commit is, so they may differ; `test`, a start has opened them and has not finished.
 */
type State = 'shut' | 'open' | 'test'

/** Size and last write of each file, by its name below DATA_DIR. */
type Marks = Map<string, string>

const Stored = z.record(z.string(), z.string())
const STATE_BYTES = 'shut'.length

/**
 * Sizes and times of the derived files as the registry left them. A file that differs was changed by
 * something else, whatever its bytes look like: so a start finds damage anywhere in a store of any size
 * at the price of one `stat`.
 */
export class Seals {
  readonly #paths: Paths
  readonly #descriptor: number
  readonly #marks: Marks
  /** State that the process before this one left. */
  readonly #before: State
  #state: State
  #length = 0
  #isClosed = false

  private constructor(paths: Paths, descriptor: number, read: Read) {
    this.#paths = paths
    this.#descriptor = descriptor
    this.#marks = read.marks
    this.#before = read.state
    this.#state = read.state
  }

  /** Reads what was written down; only who holds the lease may. */
  static open(paths: Paths): Seals {
    const read = readSeals(paths) ?? { state: 'open', marks: new Map() }
    const descriptor = openSync(paths.seals, existsSync(paths.seals) ? 'r+' : 'w+')
    const seals = new Seals(paths, descriptor, read)
    seals.#length = statSync(paths.seals).size
    return seals
  }

  /** Tells whether the previous start ended while it checked the files. */
  get isTested(): boolean {
    return this.#before === 'test'
  }

  /** Tells whether something else changed or removed this file. */
  isChanged(path: string): boolean {
    return this.#before === 'shut' && isDifferent(this.#marks, this.#paths, path)
  }

  /** Files below a folder that are known. */
  in(folder: string): string[] {
    const files = [...this.#marks.keys()].map(name => join(this.#paths.dir, name))
    return files.filter(file => file.startsWith(`${folder}/`))
  }

  /** Says that a start opens the files: one that does not come to its end leaves this behind. */
  test(): void {
    this.#write('test')
  }

  /** Says that files are about to change. */
  break(): void {
    if (this.#state === 'open') return
    this.#state = 'open'
    writeSync(this.#descriptor, 'open', 0)
  }

  /** Records how these files are now; those that are not there are forgotten. */
  note(...files: string[]): void {
    for (const file of files) this.#mark(file)
    this.#write(this.#state)
  }

  /** Records the state of these files, and that no commit is under way. */
  seal(...files: string[]): void {
    for (const file of files) this.#mark(file)
    this.#write('shut')
  }

  /** Says that all is written of a commit with these events. */
  sealCommit(events: readonly FeedEvent[]): void {
    const days = new Set(events.map(({ event_id }) => toDay(toInstant(event_id))))
    const { servingFile } = this.#paths
    this.seal(servingFile, ...[...days].map(day => this.#paths.eventFile(day)))
  }

  /** Says that all is written, and that there are no other files than these. */
  sealOnly(files: readonly string[]): void {
    this.forget(this.#paths.dir)
    this.seal(...files)
  }

  /** Forgets what was known of the files of a folder. */
  forget(folder: string): void {
    for (const file of this.in(folder)) this.#marks.delete(relative(this.#paths.dir, file))
  }

  close(): void {
    if (!this.#isClosed) closeSync(this.#descriptor)
    this.#isClosed = true
  }

  #mark(file: string): void {
    const mark = readMark(file)
    const name = relative(this.#paths.dir, file)
    if (mark === undefined) this.#marks.delete(name)
    else this.#marks.set(name, mark)
  }

  /** Writes the file at once, never shorter than before: a process that is killed leaves the old text or the new. */
  #write(state: State): void {
    this.#state = state
    const text = `${state}${JSON.stringify(Object.fromEntries(this.#marks))}`
    this.#length = Math.max(this.#length, Buffer.byteLength(text))
    writeSync(this.#descriptor, text.padEnd(this.#length), 0)
  }
}

/**
 * Tells whether something else changed a file while the registry was idle. For processes that read beside
 * the writer: false where the writer has written meanwhile, since nothing can be said then.
 */
export function isTampered(paths: Paths, path: string): boolean {
  const before = readSeals(paths)
  if (before?.state !== 'shut' || !isDifferent(before.marks, paths, path)) return false
  const after = readSeals(paths)
  const name = relative(paths.dir, path)
  return after?.state === 'shut' && after.marks.get(name) === before.marks.get(name)
}

interface Read {
  state: State
  marks: Marks
}

function readSeals(paths: Paths): Read | undefined {
  if (!existsSync(paths.seals)) return undefined
  const text = readFileSync(paths.seals, 'utf8')
  const state = (['shut', 'open', 'test'] as const).find(name => text.startsWith(name))
  if (state === undefined) return undefined
  try {
    return {
      state,
      marks: new Map(Object.entries(Stored.parse(JSON.parse(text.slice(STATE_BYTES))))),
    }
  } catch {
    return undefined
  }
}

/** Tells whether a file differs from its record; one without a record does not. */
function isDifferent(marks: Marks, paths: Paths, path: string): boolean {
  const known = marks.get(relative(paths.dir, path))
  return known !== undefined && known !== readMark(path)
}

function readMark(file: string): string | undefined {
  const found = statSync(file, { bigint: true, throwIfNoEntry: false })
  return found && `${found.size} ${found.mtimeNs}`
}
