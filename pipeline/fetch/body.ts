import type { Transform } from 'node:stream'
import zlib from 'node:zlib'
import { getFirst } from '../core/present.ts'
import type { Failure } from './failures.ts'

/** Called with each decoded chunk instead of buffering it; returns true when enough was read. */
export type PieceReader = (piece: Buffer) => boolean

/** Called once: with the complete body, or with the reason why it was not read. */
export type BodyDone = (result: Buffer | Failure) => void

/** Lets the reader slow down a fast sender. */
export interface Flow {
  pause(): void
  resume(): void
}

export interface BodyReader {
  write(chunk: Buffer, flow: Flow): void
  end(): void
  stop(): void
}

type Coding = 'gzip' | 'deflate' | 'br'

/** Compressed bodies up to this size on the wire are decoded in one go, which is far cheaper. */
const AT_ONCE_BYTES = 16 * 1024
/** Bodies that say they are this long are collected in one buffer. */
const LONG_BYTES = 1024 * 1024
/** Allowance for tiny bodies that compression makes larger than the decoded limit. */
const WIRE_SLACK_BYTES = 4 * 1024

const nothing = Buffer.alloc(0)
const tooLarge: Failure = { outcome: 'too_large', detail: 'the body exceeds the size limit' }
const undecodable: Failure = { outcome: 'http_error', detail: 'the body cannot be decompressed' }
const unknownCoding: Failure = {
  outcome: 'http_error',
  detail: 'the body has an encoding that was not requested',
}

/**
 * Opens a reader for a body of at most `maxBytes` decoded bytes, or returns why it is not read at
 * all.
 */
export function openBody(
  coding: string | string[] | undefined,
  length: number,
  maxBytes: number,
  done: BodyDone,
  onPiece?: PieceReader,
): BodyReader | Failure {
  const known = parseCoding(coding)
  if (known === undefined) return unknownCoding
  if (length > maxBytes + (known === 'identity' ? 0 : WIRE_SLACK_BYTES)) return tooLarge
  if (known !== 'identity') return new CodedBody(known, maxBytes, done, onPiece)
  return onPiece === undefined && length >= LONG_BYTES
    ? new LongBody(length, done)
    : new PlainBody(maxBytes, done, onPiece)
}

function parseCoding(header: string | string[] | undefined): Coding | 'identity' | undefined {
  switch (header?.toString().trim().toLowerCase()) {
    case undefined:
    case '':
    case 'identity':
      return 'identity'
    case 'gzip':
    case 'x-gzip':
      return 'gzip'
    case 'deflate':
      return 'deflate'
    case 'br':
      return 'br'
    default:
      return undefined
  }
}

class PlainBody implements BodyReader {
  readonly #maxBytes: number
  readonly #done: BodyDone
  readonly #watch: PieceReader | undefined
  #chunks: Buffer[] = []
  #bytes = 0

  constructor(maxBytes: number, done: BodyDone, onPiece: PieceReader | undefined) {
    this.#maxBytes = maxBytes
    this.#done = done
    this.#watch = onPiece
  }

  write(chunk: Buffer): void {
    this.#bytes += chunk.length
    if (this.#bytes > this.#maxBytes) this.#done(tooLarge)
    else if (this.#watch === undefined) this.#chunks.push(chunk)
    else if (this.#watch(chunk)) this.#done(nothing)
  }

  end(): void {
    this.#done(joinChunks(this.#chunks))
  }

  stop(): void {
    this.#chunks = []
  }
}

/** Collects a body of known length in one buffer: to keep its chunks and join them takes twice as long. */
class LongBody implements BodyReader {
  readonly #buffer: Buffer
  readonly #done: BodyDone
  #bytes = 0

  constructor(length: number, done: BodyDone) {
    this.#buffer = Buffer.allocUnsafeSlow(length)
    this.#done = done
  }

  write(chunk: Buffer): void {
    if (this.#bytes + chunk.length > this.#buffer.length) return this.#done(tooLarge)
    this.#bytes += chunk.copy(this.#buffer, this.#bytes)
  }

  end(): void {
    this.#done(this.#buffer.subarray(0, this.#bytes))
  }

  stop(): void {}
}

class CodedBody implements BodyReader {
  readonly #coding: Coding
  readonly #maxBytes: number
  readonly #done: BodyDone
  readonly #decoded: PlainBody
  /** Bytes decoded at once while a body is watched. */
  readonly #atOnceBytes: number
  #wire: Buffer[] = []
  #wireBytes = 0
  #decoder: Transform | undefined

  constructor(coding: Coding, maxBytes: number, done: BodyDone, onPiece: PieceReader | undefined) {
    this.#coding = coding
    this.#maxBytes = maxBytes
    this.#done = done
    this.#decoded = new PlainBody(maxBytes, done, onPiece)
    this.#atOnceBytes = onPiece === undefined ? AT_ONCE_BYTES : 0
  }

  write(chunk: Buffer, flow: Flow): void {
    this.#wireBytes += chunk.length
    if (this.#wireBytes > this.#maxBytes + WIRE_SLACK_BYTES) return this.#done(tooLarge)
    if (this.#decoder) return feedDecoder(this.#decoder, chunk, flow)
    this.#wire.push(chunk)
    if (this.#wireBytes <= this.#atOnceBytes) return
    this.#decoder = this.#openDecoder()
    feedDecoder(this.#decoder, joinChunks(this.#wire), flow)
    this.#wire = []
  }

  end(): void {
    if (this.#decoder) this.#decoder.end()
    else this.#done(decodeAtOnce(this.#coding, joinChunks(this.#wire), this.#maxBytes))
  }

  /** Stops a decoder, which would otherwise keep decompressing a bomb after the request has ended. */
  stop(): void {
    this.#wire = []
    this.#decoded.stop()
    this.#decoder?.destroy()
  }

  #openDecoder(): Transform {
    const decoder = createDecoder(this.#coding, getFirst(this.#wire))
    decoder.on('data', (chunk: Buffer) => this.#decoded.write(chunk))
    decoder.once('end', () => this.#decoded.end())
    decoder.on('error', () => this.#done(undecodable))
    return decoder
  }
}

function feedDecoder(decoder: Transform, chunk: Buffer, flow: Flow): void {
  if (decoder.write(chunk)) return
  flow.pause()
  decoder.once('drain', () => flow.resume())
}

function createDecoder(coding: Coding, first: Buffer): Transform {
  if (coding === 'gzip') return zlib.createGunzip()
  if (coding === 'br') return zlib.createBrotliDecompress()
  return hasZlibHeader(first) ? zlib.createInflate() : zlib.createInflateRaw()
}

function decodeAtOnce(coding: Coding, wire: Buffer, maxBytes: number): Buffer | Failure {
  const options = { maxOutputLength: maxBytes }
  try {
    if (wire.length === 0) return wire
    if (coding === 'gzip') return zlib.gunzipSync(wire, options)
    if (coding === 'br') return zlib.brotliDecompressSync(wire, options)
    return hasZlibHeader(wire)
      ? zlib.inflateSync(wire, options)
      : zlib.inflateRawSync(wire, options)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE' ? tooLarge : undecodable
  }
}

/**
 * Tells whether a `deflate` body has the zlib header; servers disagree, so its first byte decides.
 */
function hasZlibHeader(bytes: Buffer): boolean {
  return ((bytes[0] ?? 0) & 0x0f) === 8
}

function joinChunks(chunks: Buffer[]): Buffer {
  return chunks.length === 1 ? getFirst(chunks) : Buffer.concat(chunks)
}

/** Decodes the beginning of a body that explains an error, if that is possible. */
export function decodeHead(
  body: Buffer,
  coding: string | string[] | undefined,
  maxBytes: number,
): Buffer {
  const known = parseCoding(coding)
  if (known === undefined || known === 'identity') return body.subarray(0, maxBytes)
  const decoded = decodeAtOnce(known, body, AT_ONCE_BYTES)
  return Buffer.isBuffer(decoded) ? decoded.subarray(0, maxBytes) : Buffer.alloc(0)
}
