/** An encoding of bytes as text: Base64 with padding, or base64url without (RFC 4648). */
export type BinaryEncoding = 'base64' | 'base64url'

const ENCODINGS: readonly BinaryEncoding[] = ['base64url', 'base64']

/** Decodes Base64 of either alphabet. */
export function decodeBytes(encoded: string): Buffer {
  return Buffer.from(encoded, 'base64')
}

/** Tells whether a text is the one that an encoding gives for its bytes. */
export function isEncodedAs(text: string, encoding: BinaryEncoding): boolean {
  return Buffer.from(text, encoding).toString(encoding) === text
}

/** Tells whether there is one encoding that all texts have. */
export function isEncodedAlike(texts: readonly string[]): boolean {
  return ENCODINGS.some(encoding => texts.every(text => isEncodedAs(text, encoding)))
}
