// biome-ignore-all lint/style/noNonNullAssertion: the loop ends where the run does

import { splitWords } from './fold.ts'
import { toCodePoints } from './one-edit.ts'

/**
 * Mark before a name. The folded texts of all entries are one run of bytes, in which each text is between a
 * mark and END, so that one search in the run answers "is", "begins with" and "contains".
 */
export const NAME = 0
/** Mark before an alias: a text by which an entry is found, but which is not one of its names. */
export const ALIAS_MARK = 1
export const END = 2

const utf8 = new TextEncoder()

/**
 * Builds the byte strings to search for with `is`, `begins` and `contains`. Texts hold no control
 * characters, so nothing collides.
 */
export function buildPatterns(folded: string): {
  is: Uint8Array
  begins: Uint8Array
  contains: Uint8Array
} {
  const text = utf8.encode(folded)
  return {
    is: Uint8Array.of(NAME, ...text, END),
    begins: Uint8Array.of(NAME, ...text),
    contains: text,
  }
}

/** Collects texts while an index is built. */
export class TextsBuffer {
  #bytes = Buffer.allocUnsafe(64 * 1024)
  length = 0

  add(kind: typeof NAME | typeof ALIAS_MARK, folded: string): void {
    const max = 3 * folded.length + 2
    if (this.length + max > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(2 * this.#bytes.length + max)
      larger.set(this.#bytes.subarray(0, this.length))
      this.#bytes = larger
    }
    this.#bytes[this.length++] = kind
    this.length += this.#bytes.write(folded, this.length)
    this.#bytes[this.length++] = END
  }

  slice(from = 0, to = this.length): Uint8Array {
    return this.#bytes.subarray(from, to)
  }
}

/** Splits texts that are stored in a run of bytes into words, as code points. */
export function splitWordsInRun(run: Uint8Array): ArrayLike<number>[] {
  const words: ArrayLike<number>[] = []
  for (let at = 0, start = 0; at < run.length; at++) {
    const byte = run[at]!
    // Letters that are no ASCII are known to the tables of Unicode alone.
    if (byte > 0x7f) return splitWords(new TextDecoder().decode(run)).map(toCodePoints)
    if (isLetterOrDigit(byte)) continue
    if (at > start) words.push(run.subarray(start, at))
    start = at + 1
  }
  return words
}

/** Tells whether a byte of folded ASCII is a letter or a digit. */
function isLetterOrDigit(byte: number): boolean {
  return (byte >= 0x61 && byte <= 0x7a) || (byte >= 0x30 && byte <= 0x39)
}
