import { gzipSync } from 'node:zlib'
import type { Answer } from './answer.ts'
import { dirt } from './dirty-place.ts'
import { smallDocument } from './documents.ts'
import type { FileName, Place } from './site.ts'

const kib = 1_024
const mib = 1_048_576
const spaces = Buffer.alloc(64 * kib, ' ')

/** Valid documents nobody should read to the end: the blanks before the last brace make them large. */
export const largeBodies: Place[] = [
  dirt('oversize', 'too_large', (name, host) =>
    streamed(name, host, name === 'brand.json' ? 300 * kib : 6 * mib),
  ),
  dirt('oversize-declared', 'too_large', (name, host) => {
    const bytes = name === 'brand.json' ? 300 * kib : 6 * mib
    return { ...streamed(name, host, bytes), headers: jsonOf({ 'content-length': String(bytes) }) }
  }),
  dirt('huge', 'too_large', (name, host) => streamed(name, host, 32 * mib)),
  dirt('gzip-bomb', 'too_large', (name, host) => ({
    kind: 'whole',
    status: 200,
    headers: jsonOf({ 'content-encoding': 'gzip' }),
    body: gzipSync(Buffer.concat([...padded(name, host, 50 * mib)])),
  })),
]

function streamed(name: FileName, host: string, bytes: number): Answer & { kind: 'stream' } {
  return {
    kind: 'stream',
    status: 200,
    headers: jsonOf({}),
    chunks: () => padded(name, host, bytes),
  }
}

function* padded(name: FileName, host: string, bytes: number): Generator<Buffer> {
  const text = JSON.stringify(smallDocument(name, host)).slice(0, -1)
  yield Buffer.from(text)
  let missing = bytes - Buffer.byteLength(text) - 1
  while (missing > 0) {
    const chunk = spaces.subarray(0, Math.min(missing, spaces.length))
    missing -= chunk.length
    yield chunk
  }
  yield Buffer.from('}')
}

function jsonOf(more: Readonly<Record<string, string>>): Record<string, string> {
  return { 'content-type': 'application/json', ...more }
}
