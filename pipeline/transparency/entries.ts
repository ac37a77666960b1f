import { createHash } from 'node:crypto'
import { countThings } from '../core/counts.ts'

/** Largest entry: its length is written in two bytes. */
export const ENTRY_BYTES_MAX = 65_535
/** Entry of an event that was taken down: its leaf hash stays, its content is deleted. */
export const ERASED = Buffer.alloc(0)

const LENGTH_BYTES = 2
/** Bytes with which the line of any event begins. */
const LINE_START = '{"event_id":"'
const ID_CHARS = 36

/** Finds the id of an event in its line of the event file. Throws where there is none. */
export function findEventId(line: Buffer): string {
  const head = line.toString('latin1', 0, LINE_START.length + ID_CHARS)
  if (!head.startsWith(LINE_START))
    throw new Error('the line of an event does not begin with its id')
  return head.slice(LINE_START.length)
}

/**
 * Converts the line of an event to its entry: the line itself, without its line break. A line that is too
 * long for an entry is replaced by its id and its SHA-256.
 */
export function toEntry(line: Buffer): Buffer {
  if (line.length <= ENTRY_BYTES_MAX) return line
  const sha256 = createHash('sha256').update(line).digest('hex')
  return Buffer.from(JSON.stringify({ event_id: findEventId(line), sha256 }))
}

/** Builds a bundle: each entry after its length, two bytes. */
export function buildBundle(entries: readonly Buffer[]): Buffer {
  return Buffer.concat(
    entries.flatMap(entry => {
      const length = Buffer.alloc(LENGTH_BYTES)
      length.writeUInt16BE(entry.length)
      return [length, entry]
    }),
  )
}

/** Parses a bundle. Throws where it is cut off, or has another number of entries than expected. */
export function parseBundle(bytes: Buffer, count: number): Buffer[] {
  const entries: Buffer[] = []
  for (let at = 0; at < bytes.length; ) {
    const start = at + LENGTH_BYTES
    const end = start <= bytes.length ? start + bytes.readUInt16BE(at) : Infinity
    if (end > bytes.length) throw new Error('a bundle of entries is cut off')
    entries.push(bytes.subarray(start, end))
    at = end
  }
  if (entries.length !== count)
    throw new Error(`a bundle has ${countThings(entries.length, 'entry', 'entries')}, not ${count}`)
  return entries
}
