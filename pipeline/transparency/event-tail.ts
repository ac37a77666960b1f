import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { toDay } from '../core/clock.ts'
import { toInstant } from '../core/uuid-v7.ts'
import { listEventFiles } from '../store/event-log.ts'
import type { Paths } from '../store/paths.ts'
import { findEventId } from './entries.ts'

const CHUNK_BYTES = 1024 * 1024
const LINE_END = 0x0a

/** One event, as its line in the event file without the line break. */
export interface EventLine {
  id: string
  line: Buffer
}

/** Reads what was appended to the event files, from where the last reading ended. */
export class EventTail {
  readonly #paths: Pick<Paths, 'events'>
  /** Position in a file; valid as long as it is the same file. */
  #place = { name: '', inode: 0, offset: 0 }

  constructor(paths: Pick<Paths, 'events'>) {
    this.#paths = paths
  }

  /** Reads the events after one, or all: about as many as asked for, in the order of the feed. */
  read(after: string | undefined, countMax: number): EventLine[] {
    const lines: EventLine[] = []
    const first = after === undefined ? '' : `${toDay(toInstant(after))}.ndjson`
    for (const name of listEventFiles(this.#paths)) {
      if (name < first || name < this.#place.name) continue
      this.#readFile(name, after, countMax, lines)
      if (lines.length >= countMax) break
    }
    return lines
  }

  #readFile(name: string, after: string | undefined, countMax: number, lines: EventLine[]): void {
    const descriptor = openSync(`${this.#paths.events}/${name}`, 'r')
    try {
      const { ino: inode, size } = fstatSync(descriptor)
      const isSame = this.#place.name === name && this.#place.inode === inode
      let offset = isSame && this.#place.offset <= size ? this.#place.offset : 0
      let chunkBytes = CHUNK_BYTES
      while (lines.length < countMax && offset < size) {
        const chunk = Buffer.alloc(Math.min(chunkBytes, size - offset))
        const end = chunk.lastIndexOf(
          LINE_END,
          readSync(descriptor, chunk, 0, chunk.length, offset),
        )
        if (end < 0 && offset + chunk.length >= size) break
        if (end < 0) chunkBytes *= 4
        else lines.push(...splitLines(chunk.subarray(0, end), after))
        offset += end + 1
      }
      this.#place = { name, inode, offset }
    } finally {
      closeSync(descriptor)
    }
  }
}

function splitLines(chunk: Buffer, after: string | undefined): EventLine[] {
  const lines: EventLine[] = []
  for (let start = 0; start <= chunk.length; ) {
    const found = chunk.indexOf(LINE_END, start)
    const end = found < 0 ? chunk.length : found
    const line = chunk.subarray(start, end)
    const id = findEventId(line)
    if (after === undefined || id > after) lines.push({ id, line })
    start = end + 1
  }
  return lines
}
