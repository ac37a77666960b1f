import type { Transform } from 'node:stream'
import zlib from 'node:zlib'
import type { Failure } from './failures.ts'

export type Coding = 'gzip' | 'deflate' | 'br'

/** Codings that one body may have; each costs as much as the body. */
const CODINGS_MAX = 4
const CODING_NAME = /^[\w!#$%&'*+.^`|~-]{1,40}$/

const codingsByName: Readonly<Record<string, Coding>> = {
  gzip: 'gzip',
  'x-gzip': 'gzip',
  deflate: 'deflate',
  br: 'br',
}

/**
 * Parses `Content-Encoding` (RFC 9110, 8.4): the codings in the order in which they were applied. Empty
 * members and `identity` count for nothing. A coding that is unknown is named in the failure.
 */
export function parseCodings(header: string | string[] | undefined): Coding[] | Failure {
  if (header === undefined) return []
  const names = header
    .toString()
    .split(',')
    .map(name => name.trim().toLowerCase())
    .filter(name => name !== '' && name !== 'identity')
  const unknown = names.find(name => codingsByName[name] === undefined)
  if (unknown !== undefined) return toUnknown(unknown)
  if (names.length > CODINGS_MAX) {
    return {
      outcome: 'undecodable',
      detail: `answers with more than ${CODINGS_MAX} content codings`,
    }
  }
  return names.flatMap(name => codingsByName[name] ?? [])
}

function toUnknown(name: string): Failure {
  const shown = CODING_NAME.test(name) ? ` “${name}”` : ''
  return {
    outcome: 'undecodable',
    detail: `answers with an unknown content coding${shown}`,
  }
}

/** Returns the failure of a body that does not have a coding that its headers name. */
export function toUndecodable(coding: Coding): Failure {
  return {
    outcome: 'undecodable',
    detail: `answers with a body that cannot be decompressed, though its content coding is “${coding}”`,
  }
}

/** Decodes a whole body in one coding; throws as zlib does. */
export function decodeWhole(coding: Coding, bytes: Buffer, maxBytes: number): Buffer {
  const options = { maxOutputLength: maxBytes }
  if (coding === 'gzip') return zlib.gunzipSync(bytes, options)
  if (coding === 'br') return zlib.brotliDecompressSync(bytes, options)
  return hasZlibHeader(bytes)
    ? zlib.inflateSync(bytes, options)
    : zlib.inflateRawSync(bytes, options)
}

/** Lets the reader slow down a fast sender. */
export interface Flow {
  pause(): void
  resume(): void
}

/** Receives the bytes of a body. */
export interface Sink {
  write(chunk: Buffer, flow: Flow): void
  end(): void
}

/** Undoes one coding and passes the bytes on. Slows its source down when it cannot follow. */
export class DecoderStage implements Sink {
  readonly #coding: Coding
  readonly #next: Sink
  readonly #fail: (failure: Failure) => void
  #decoder: Transform | undefined

  constructor(coding: Coding, next: Sink, fail: (failure: Failure) => void) {
    this.#coding = coding
    this.#next = next
    this.#fail = fail
  }

  write(chunk: Buffer, flow: Flow): void {
    this.#decoder ??= this.#open(chunk)
    const decoder = this.#decoder
    if (decoder.destroyed || decoder.write(chunk)) return
    flow.pause()
    decoder.once('drain', () => flow.resume())
  }

  end(): void {
    if (this.#decoder) this.#decoder.end()
    else this.#next.end()
  }

  /** Stops the decoder, which would otherwise keep decompressing a bomb after the request has ended. */
  stop(): void {
    this.#decoder?.destroy()
  }

  #open(first: Buffer): Transform {
    const decoder = createDecoder(this.#coding, first)
    decoder.on('data', (chunk: Buffer) => this.#next.write(chunk, decoder))
    decoder.once('end', () => this.#next.end())
    decoder.on('error', () => this.#fail(toUndecodable(this.#coding)))
    return decoder
  }
}

function createDecoder(coding: Coding, first: Buffer): Transform {
  if (coding === 'gzip') return zlib.createGunzip()
  if (coding === 'br') return zlib.createBrotliDecompress()
  return hasZlibHeader(first) ? zlib.createInflate() : zlib.createInflateRaw()
}

/**
 * Tells whether a `deflate` body has the zlib header; servers disagree, so its first byte decides.
 */
function hasZlibHeader(bytes: Buffer): boolean {
  return ((bytes[0] ?? 0) & 0x0f) === 8
}
