import { gzipSync } from 'node:zlib'
import type { Answer } from './answer.ts'
import { buildDirt } from './dirty-place.ts'
import { buildSmallDocument } from './documents.ts'
import type { FileName, Place } from './site.ts'

const kib = 1_024
const mib = 1_048_576
const spaces = Buffer.alloc(64 * kib, ' ')

/** Valid documents that are too large to be read: blanks before the last brace fill them up. */
export const largeBodies: Place[] = [
  buildDirt('oversize', 'too_large', (name, host) =>
    answerStream(name, host, name === 'brand.json' ? 300 * kib : 6 * mib),
  ),
  buildDirt('oversize-declared', 'too_large', (name, host) => {
    const bytes = name === 'brand.json' ? 300 * kib : 6 * mib
    return {
      ...answerStream(name, host, bytes),
      headers: buildJson({ 'content-length': String(bytes) }),
    }
  }),
  buildDirt('huge', 'too_large', (name, host) => answerStream(name, host, 32 * mib)),
  buildDirt('gzip-bomb', 'too_large', (name, host) => ({
    kind: 'whole',
    status: 200,
    headers: buildJson({ 'content-encoding': 'gzip' }),
    body: gzipSync(Buffer.concat([...padBody(name, host, 50 * mib)])),
  })),
]

function answerStream(name: FileName, host: string, bytes: number): Answer & { kind: 'stream' } {
  return {
    kind: 'stream',
    status: 200,
    headers: buildJson({}),
    chunks: () => padBody(name, host, bytes),
  }
}

function* padBody(name: FileName, host: string, bytes: number): Generator<Buffer> {
  const text = JSON.stringify(buildSmallDocument(name, host)).slice(0, -1)
  yield Buffer.from(text)
  let missing = bytes - Buffer.byteLength(text) - 1
  while (missing > 0) {
    const chunk = spaces.subarray(0, Math.min(missing, spaces.length))
    missing -= chunk.length
    yield chunk
  }
  yield Buffer.from('}')
}

function buildJson(more: Readonly<Record<string, string>>): Record<string, string> {
  return { 'content-type': 'application/json', ...more }
}
