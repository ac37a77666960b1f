import { randomUUID } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readFileSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import type { ServingStore, WriteRecorder } from './lmdb.ts'
import { toPublicEntry } from './public-entries.ts'
import { encodeFrames, FRAME_HEAD_BYTES, readFrameHead } from './segment.ts'
import { CHAIN, type Entry } from './spaces.ts'

/** Commits that were recorded since the last cut, as a segment. */
export interface Recorded {
  segment: Buffer
  from: number
  to: number
}

/**
 * Records the public part of each commit in a file beside the serving store, before it is written there. Each
 * commit has a place in a chain, which the store keeps with it. Where file and store do not end at the same
 * commit, something was written that the file lacks: then a new chain begins, and replicas start over. A
 * store that is made again has no such file, so this covers every way in which it can change.
 */
export class WriteJournal implements WriteRecorder {
  readonly #store: ServingStore
  readonly #file: string
  readonly #descriptor: number
  #chain: string
  #position: number
  #bytes: number
  #bytesBefore = 0
  #positionBefore = 0

  private constructor(store: ServingStore, file: string) {
    this.#store = store
    this.#file = file
    this.#descriptor = openSync(file, 'a', 0o600)
    this.#bytes = fstatSync(this.#descriptor).size
    this.#chain = store.chain ?? ''
    this.#position = store.position
    store.record(this)
  }

  /** Begins to record what is written to a store. Without the file of an earlier time a new chain begins. */
  static open(store: ServingStore, servingFile: string): WriteJournal {
    const file = toJournalPath(servingFile)
    const last = existsSync(file) ? findLastPosition(readFileSync(file)) : Number.NaN
    const journal = new WriteJournal(store, file)
    const isContinued = store.chain !== undefined && (last ?? store.position) === store.position
    if (!isContinued) journal.restart()
    return journal
  }

  /** Returns the chain to which the recorded commits belong. */
  get chain(): string {
    return this.#chain
  }

  /** Begins a new chain: nothing of the old one is published anymore, and replicas start over. */
  restart(): void {
    this.#truncate(0)
    this.#chain = randomUUID()
    const chain: Entry = { space: 'meta', key: CHAIN, value: Buffer.from(this.#chain) }
    this.#store.write([chain], this.#store.seq)
  }

  part(entries: readonly Entry[]): void {
    this.#append(entries, 0)
  }

  commit(entries: readonly Entry[]): number {
    this.#append(entries, this.#position + 1)
    this.#position += 1
    return this.#position
  }

  undo(): void {
    this.#truncate(this.#bytesBefore)
    this.#position = this.#positionBefore
  }

  /** Reads the commits after a place in the chain; undefined if there are none, `lost` if some are missing. */
  read(after: number): Recorded | 'lost' | undefined {
    if (this.#position === after) return undefined
    const recorded = readFileSync(this.#file)
    const { start, end, first } = findCommits(recorded, after)
    if (first !== after + 1) return 'lost'
    return { segment: recorded.subarray(start, end), from: first, to: this.#position }
  }

  /** Forgets the commits up to a place, once they are kept elsewhere. */
  forget(upTo: number): void {
    const recorded = readFileSync(this.#file)
    const { start } = findCommits(recorded, upTo)
    this.#truncate(0)
    const left = recorded.subarray(start)
    if (left.length > 0) writeSync(this.#descriptor, left)
    this.#bytes = left.length
  }

  close(): void {
    closeSync(this.#descriptor)
  }

  #append(entries: readonly Entry[], position: number): void {
    this.#bytesBefore = this.#bytes
    this.#positionBefore = this.#position
    const shown = entries.flatMap(entry => toPublicEntry(entry) ?? [])
    for (const frame of encodeFrames(shown, position)) {
      writeSync(this.#descriptor, frame)
      this.#bytes += frame.length
    }
  }

  #truncate(bytes: number): void {
    ftruncateSync(this.#descriptor, bytes)
    this.#bytes = bytes
  }
}

/** Forgets a journal that is not continued: the next one begins a new chain. */
export function dropJournal(servingFile: string): void {
  rmSync(toJournalPath(servingFile), { force: true })
}

function toJournalPath(servingFile: string): string {
  return join(dirname(servingFile), 'journal')
}

/** Finds the place of the last commit; undefined where there is none, NaN where parts of another one follow. */
function findLastPosition(segment: Buffer): number | undefined {
  let last: number | undefined
  for (const { position, end } of listFrames(segment)) {
    last = position === 0 || end > segment.length ? Number.NaN : position
  }
  return last
}

/** Finds the bytes of the commits after a place, and the place of the first one. */
function findCommits(segment: Buffer, after: number) {
  const found: { start: number; end: number; first: number | undefined } = {
    start: 0,
    end: 0,
    first: undefined,
  }
  for (const { position, end } of listFrames(segment)) {
    if (position === 0) continue
    if (position <= after) found.start = end
    else found.first ??= position
    found.end = end
  }
  return found
}

function* listFrames(segment: Buffer): Iterable<{ position: number; end: number }> {
  for (let at = 0; at < segment.length; ) {
    if (at + FRAME_HEAD_BYTES > segment.length) return yield { position: 0, end: at }
    const { bytes, position } = readFrameHead(segment.subarray(at))
    at += FRAME_HEAD_BYTES + bytes
    yield { position, end: at }
  }
}
