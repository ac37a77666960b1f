/**
 * Holds UTF-8 as a string with a character for each byte. Stored bytes become one without being decoded, and it is sent in
 * one piece with the headers without being encoded.
 */
export class ByteText {
  readonly bytes: string

  constructor(bytes: string) {
    this.bytes = bytes
  }

  get length(): number {
    return this.bytes.length
  }

  toBuffer(): Buffer {
    return Buffer.from(this.bytes, 'latin1')
  }

  /** Decodes the text. */
  toString(): string {
    return this.toBuffer().toString()
  }
}

const NOT_ASCII = /[^\0-\x7f]/

/** Converts text to a string with a character for each of its bytes. */
export function toByteCharacters(text: string): string {
  return NOT_ASCII.test(text) ? Buffer.from(text).toString('latin1') : text
}
