import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { expect, test } from 'vitest'
import { readWoff } from '../../../api/pictures/read-woff.ts'

const { resolve } = createRequire(import.meta.url)
const path = resolve('@fontsource/unifontex/files/unifontex-latin-400-normal.woff')

/** Sums up a table as its checksum does; that of `head` leaves out the sum of the whole file. */
function sumUp(table: Buffer, tag: string): number {
  const whole = Buffer.concat([table, Buffer.alloc(-table.length & 3)])
  if (tag === 'head') whole.writeUInt32BE(0, 8)
  let sum = 0
  for (let at = 0; at < whole.length; at += 4) sum = (sum + whole.readUInt32BE(at)) >>> 0
  return sum
}

test('the tables of a font are those that were packed, by their checksums', () => {
  const font = readWoff(readFileSync(path))
  const tags = Array.from({ length: font.readUInt16BE(4) }, (_, n) => {
    const at = 12 + 16 * n
    const tag = font.toString('latin1', at, at + 4)
    const [checksum, offset, size] = [4, 8, 12].map(part => font.readUInt32BE(at + part))
    expect([tag, sumUp(font.subarray(offset, offset! + size!), tag)]).toEqual([tag, checksum])
    return tag
  })
  expect(tags).toEqual(expect.arrayContaining(['cmap', 'glyf', 'head', 'loca']))
})

test('another file is refused', () => {
  expect(() => readWoff(Buffer.alloc(100))).toThrow('no WOFF file')
})
