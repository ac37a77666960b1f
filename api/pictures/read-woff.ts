import { inflateSync } from 'node:zlib'

const SIGNATURE = 'wOFF'
const HEADER_BYTES = 44
const ENTRY_BYTES = 20
const SFNT_HEADER_BYTES = 12
const SFNT_ENTRY_BYTES = 16

/** A table of a font: its tag and checksum, and its bytes as they are in an OpenType file. */
interface FontTable {
  tag: Buffer
  checksum: number
  bytes: Buffer
}

/** Converts a WOFF file (https://www.w3.org/TR/WOFF/) to the OpenType file that it was made of. */
export function readWoff(file: Buffer): Buffer {
  if (file.toString('latin1', 0, 4) !== SIGNATURE) throw new Error('this is no WOFF file')
  const count = file.readUInt16BE(12)
  const tables = Array.from({ length: count }, (_, n) =>
    readTable(file, HEADER_BYTES + n * ENTRY_BYTES),
  )
  return buildFont(file.subarray(4, 8), tables)
}

function readTable(file: Buffer, at: number): FontTable {
  const offset = file.readUInt32BE(at + 4)
  const packed = file.readUInt32BE(at + 8)
  const size = file.readUInt32BE(at + 12)
  const checksum = file.readUInt32BE(at + 16)
  const stored = file.subarray(offset, offset + packed)
  const bytes = packed === size ? stored : inflateSync(stored)
  if (bytes.length !== size) throw new Error('a table of the font has another size')
  return { tag: file.subarray(at, at + 4), checksum, bytes }
}

function buildFont(flavor: Buffer, tables: readonly FontTable[]): Buffer {
  const head = Buffer.alloc(SFNT_HEADER_BYTES + tables.length * SFNT_ENTRY_BYTES)
  const power = Math.floor(Math.log2(tables.length))
  flavor.copy(head)
  head.writeUInt16BE(tables.length, 4)
  head.writeUInt16BE(2 ** power * SFNT_ENTRY_BYTES, 6)
  head.writeUInt16BE(power, 8)
  head.writeUInt16BE((tables.length - 2 ** power) * SFNT_ENTRY_BYTES, 10)
  const parts: Buffer[] = [head]
  let offset = head.length
  for (const [n, { tag, checksum, bytes }] of tables.entries()) {
    const at = SFNT_HEADER_BYTES + n * SFNT_ENTRY_BYTES
    tag.copy(head, at)
    head.writeUInt32BE(checksum, at + 4)
    head.writeUInt32BE(offset, at + 8)
    head.writeUInt32BE(bytes.length, at + 12)
    const padding = -bytes.length & 3
    parts.push(bytes, Buffer.alloc(padding))
    offset += bytes.length + padding
  }
  return Buffer.concat(parts)
}
