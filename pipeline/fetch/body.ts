import { getFirst } from '../core/present.ts'
import {
  type Coding,
  DecoderStage,
  decodeWhole,
  type Flow,
  parseCodings,
  type Sink,
  toUndecodable,
} from './content-coding.ts'
import type { Failure } from './failures.ts'

/** Called with each decoded chunk instead of buffering it; returns true when enough was read. */
export type PieceReader = (piece: Buffer) => boolean

/** Called once: with the complete body, or with the reason why it was not read. */
export type BodyDone = (result: Buffer | Failure) => void

export interface BodyReader {
  write(chunk: Buffer, flow: Flow): void
  end(): void
  stop(): void
}

/** Compressed bodies up to this size on the wire are decoded in one go, which is far cheaper. */
const AT_ONCE_BYTES = 16 * 1024
/** Bodies that say they are this long are collected in one buffer. */
const LONG_BYTES = 1024 * 1024
/** Allowance for tiny bodies that compression makes larger than the decoded limit. */
const WIRE_SLACK_BYTES = 4 * 1024

const nothing = Buffer.alloc(0)
const tooLarge: Failure = {
  outcome: 'too_large',
  detail: 'answers with a body above the size limit',
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
  const codings = parseCodings(coding)
  if ('outcome' in codings) return codings
  if (length > maxBytes + (codings.length === 0 ? 0 : WIRE_SLACK_BYTES)) return tooLarge
  if (codings.length > 0) return new CodedBody(codings, maxBytes, done, onPiece)
  return onPiece === undefined && length >= LONG_BYTES
    ? new LongBody(length, done)
    : new PlainBody(maxBytes, done, onPiece)
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

/** Undoes the codings of a body, the last one first. What passes between two of them is bounded like the wire. */
class CodedBody implements BodyReader {
  readonly #codings: readonly Coding[]
  readonly #maxBytes: number
  readonly #done: BodyDone
  readonly #decoded: PlainBody
  /** Bytes decoded at once while a body is watched. */
  readonly #atOnceBytes: number
  #wire: Buffer[] = []
  #wireBytes = 0
  #stages: DecoderStage[] = []
  #first: Sink | undefined

  constructor(
    codings: readonly Coding[],
    maxBytes: number,
    done: BodyDone,
    onPiece: PieceReader | undefined,
  ) {
    this.#codings = codings
    this.#maxBytes = maxBytes
    this.#done = done
    this.#decoded = new PlainBody(maxBytes, done, onPiece)
    this.#atOnceBytes = onPiece === undefined ? AT_ONCE_BYTES : 0
  }

  write(chunk: Buffer, flow: Flow): void {
    if (this.#first) return this.#first.write(chunk, flow)
    this.#wireBytes += chunk.length
    if (this.#wireBytes > this.#maxBytes + WIRE_SLACK_BYTES) return this.#done(tooLarge)
    this.#wire.push(chunk)
    if (this.#wireBytes <= this.#atOnceBytes) return
    this.#first = this.#openStages()
    this.#first.write(joinChunks(this.#wire), flow)
    this.#wire = []
  }

  end(): void {
    if (this.#first) this.#first.end()
    else this.#done(decodeAtOnce(this.#codings, joinChunks(this.#wire), this.#maxBytes))
  }

  stop(): void {
    this.#wire = []
    this.#decoded.stop()
    for (const stage of this.#stages) stage.stop()
  }

  #openStages(): Sink {
    return this.#codings.reduce((next: Sink, coding) => {
      const stage = new DecoderStage(coding, next, this.#done)
      this.#stages.push(stage)
      return limitBytes(stage, this.#maxBytes + WIRE_SLACK_BYTES, this.#done)
    }, this.#decoded)
  }
}

/** Ends a body as too large when more than this is passed on. */
function limitBytes(sink: Sink, maxBytes: number, done: BodyDone): Sink {
  let bytes = 0
  return {
    write(chunk, flow) {
      bytes += chunk.length
      if (bytes > maxBytes) done(tooLarge)
      else sink.write(chunk, flow)
    },
    end: () => sink.end(),
  }
}

function decodeAtOnce(
  codings: readonly Coding[],
  wire: Buffer,
  maxBytes: number,
): Buffer | Failure {
  let bytes = wire
  for (const [left, coding] of [...codings.entries()].reverse()) {
    if (bytes.length === 0) return bytes
    try {
      bytes = decodeWhole(coding, bytes, left === 0 ? maxBytes : maxBytes + WIRE_SLACK_BYTES)
    } catch (error) {
      const isTooLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE'
      return isTooLarge ? tooLarge : toUndecodable(coding)
    }
  }
  return bytes
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
  const codings = parseCodings(coding)
  if ('outcome' in codings || codings.length === 0) return body.subarray(0, maxBytes)
  const decoded = decodeAtOnce(codings, body, AT_ONCE_BYTES)
  return Buffer.isBuffer(decoded) ? decoded.subarray(0, maxBytes) : Buffer.alloc(0)
}
