import type { BufferBuilder } from '../lookups/buffer-builder.ts'

const PIECE_BYTES = 1024 * 1024
/** Bounds of the five parts of a text: where each begins, and the end. */
const bound = { head: 0, inventory: 1, middle: 2, rest: 3, score: 4, end: 5 } as const
const TEXT_BOUNDS = Object.keys(bound).length
/** Each text begins with one. */
const COMMA_BYTES = 1

/** The parts of an agent's text, without repetitions. */
export interface AgentText {
  head: string
  /** Written after the head, and again after the middle. */
  inventory: string
  middle: string
  rest: string
  score: string
}

/** Texts as one thread hands them over to another. */
export interface AgentTextParts {
  pieces: Uint8Array<ArrayBuffer>[]
  pieceNumbers: Uint32Array<ArrayBuffer>
  bounds: Uint32Array<ArrayBuffer>
}

/**
 * JSON of agents as bytes, one after the other in large pieces of memory: an object for each would cost
 * the collector more than its text.
 */
export class AgentTexts {
  readonly #pieces: Buffer<ArrayBuffer>[]
  readonly #pieceNumbers: Uint32Array<ArrayBuffer>
  readonly #bounds: Uint32Array<ArrayBuffer>
  #count = 0
  #used = 0

  private constructor({ pieces, pieceNumbers, bounds }: AgentTextParts) {
    this.#pieces = pieces.map(({ buffer, byteOffset, length }) =>
      Buffer.from(buffer, byteOffset, length),
    )
    this.#pieceNumbers = pieceNumbers
    this.#bounds = bounds
  }

  static create(size: number): AgentTexts {
    const bounds = new Uint32Array(TEXT_BOUNDS * size)
    return new AgentTexts({ pieces: [], pieceNumbers: new Uint32Array(size), bounds })
  }

  static of(parts: AgentTextParts): AgentTexts {
    return new AgentTexts(parts)
  }

  get parts(): AgentTextParts {
    return { pieces: this.#pieces, pieceNumbers: this.#pieceNumbers, bounds: this.#bounds }
  }

  /** Adds the text of the next agent. */
  add({ head, inventory, middle, rest, score }: AgentText): void {
    const parts = [head, inventory, middle, rest, score]
    const lengths = parts.map(part => Buffer.byteLength(part))
    const piece = this.#makeRoom(lengths.reduce((sum, length) => sum + length))
    const rank = this.#count++
    this.#pieceNumbers[rank] = this.#pieces.length - 1
    for (const [i, part] of parts.entries()) {
      this.#bounds[TEXT_BOUNDS * rank + i] = this.#used
      this.#used += piece.write(part, this.#used)
    }
    this.#bounds[TEXT_BOUNDS * rank + parts.length] = this.#used
  }

  /** Measures the length of an item's JSON, with its comma and its score. */
  measure(rank: number): number {
    const once = this.#find(rank, 'end') - this.#find(rank, 'head')
    return once + this.#find(rank, 'middle') - this.#find(rank, 'inventory')
  }

  /** Writes a text, with a comma before it and with its score among those that pass filters by values. */
  write(
    writer: BufferBuilder,
    rank: number,
    { comma, score }: { comma: boolean; score: boolean },
  ): void {
    // biome-ignore lint/style/noNonNullAssertion: every rank has a piece
    const piece = this.#pieces[this.#pieceNumbers[rank]!]!
    const rest = this.#find(rank, 'rest')
    writer.part(piece, this.#find(rank, 'head') + (comma ? 0 : COMMA_BYTES), rest)
    writer.part(piece, this.#find(rank, 'inventory'), this.#find(rank, 'middle'))
    writer.part(piece, rest, this.#find(rank, score ? 'end' : 'score'))
  }

  #find(rank: number, name: keyof typeof bound): number {
    // biome-ignore lint/style/noNonNullAssertion: every rank has all bounds
    return this.#bounds[TEXT_BOUNDS * rank + bound[name]]!
  }

  #makeRoom(length: number): Buffer<ArrayBuffer> {
    const last = this.#pieces.at(-1)
    if (last !== undefined && this.#used + length <= last.length) return last
    // A buffer of Node's pool would share its memory with others, and could not be handed over.
    const next = Buffer.allocUnsafeSlow(Math.max(PIECE_BYTES, length))
    this.#pieces.push(next)
    this.#used = 0
    return next
  }
}
