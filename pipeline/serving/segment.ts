import { type Entry, type SpaceName, spaces } from './spaces.ts'

/** Bytes before the entries of a frame: their length, and the position of a commit or 0. */
const HEAD_BYTES = 10
/** Bytes before a key: its space, how it is spelled, and the length of key and value. */
const ENTRY_BYTES = 10
const REMOVED = 1
const BINARY_KEY = 2
/** Bytes of entries after which a frame ends, so that a replica holds little of a large commit in memory. */
const FRAME_BYTES_MAX = 4 * 1024 * 1024

/**
 * Encodes entries in frames. With a `position` the last one ends a commit; a segment is frames of commits in a
 * row, so segments are joined by writing one behind the other.
 */
export function* encodeFrames(entries: Iterable<Entry>, position = 0): Iterable<Buffer> {
  let parts: Buffer[] = []
  let bytes = 0
  for (const entry of entries) {
    const encoded = encodeEntry(entry)
    parts.push(...encoded)
    for (const part of encoded) bytes += part.length
    if (bytes < FRAME_BYTES_MAX) continue
    yield Buffer.concat([toHead(bytes, 0), ...parts])
    parts = []
    bytes = 0
  }
  if (bytes > 0 || position > 0) yield Buffer.concat([toHead(bytes, position), ...parts])
}

/** Reads the head of a frame: the bytes that follow it, and its position. */
export function readFrameHead(head: Buffer): { bytes: number; position: number } {
  return { bytes: head.readUInt32BE(0), position: head.readUIntBE(4, 6) }
}

export const FRAME_HEAD_BYTES = HEAD_BYTES

/** Decodes the entries of a frame. Their values are parts of `body`. */
export function decodeEntries(body: Buffer): Entry[] {
  const entries: Entry[] = []
  for (let at = 0; at < body.length; ) {
    // biome-ignore lint/style/noNonNullAssertion: a frame has whole entries
    const space = spaces[body[at]!] as SpaceName
    // biome-ignore lint/style/noNonNullAssertion: a frame has whole entries
    const flags = body[at + 1]!
    const start = at + ENTRY_BYTES
    const middle = start + body.readUInt32BE(at + 2)
    const end = middle + body.readUInt32BE(at + 6)
    if (space === undefined || end > body.length) throw new Error('a segment is malformed')
    const key = body.subarray(start, middle)
    entries.push({
      space,
      key: flags & BINARY_KEY ? key : key.toString(),
      value: flags & REMOVED ? undefined : body.subarray(middle, end),
    })
    at = end
  }
  return entries
}

function toHead(bytes: number, position: number): Buffer {
  const head = Buffer.allocUnsafe(HEAD_BYTES)
  head.writeUInt32BE(bytes, 0)
  head.writeUIntBE(position, 4, 6)
  return head
}

function encodeEntry({ space, key, value }: Entry): Buffer[] {
  const name = Buffer.from(key as string)
  const head = Buffer.allocUnsafe(ENTRY_BYTES)
  head[0] = spaces.indexOf(space)
  head[1] = (value === undefined ? REMOVED : 0) | (typeof key === 'string' ? 0 : BINARY_KEY)
  head.writeUInt32BE(name.length, 2)
  head.writeUInt32BE(value?.length ?? 0, 6)
  return value === undefined ? [head, name] : [head, name, value]
}
