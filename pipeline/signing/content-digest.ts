import { createHash, timingSafeEqual } from 'node:crypto'
import { type BinaryEncoding, decodeBytes } from './binary-encoding.ts'
import { parseByteDictionary } from './structured-fields.ts'

/** Computes the value of a `Content-Digest` header (RFC 9530) of a body, by SHA-256. */
export function computeContentDigest(
  body: string | Uint8Array,
  encoding: BinaryEncoding = 'base64',
): string {
  return toContentDigest(hashBody(body), encoding)
}

/** Converts the SHA-256 hash of a body to the value of its `Content-Digest` header. */
export function toContentDigest(hash: Buffer, encoding: BinaryEncoding): string {
  return `sha-256=:${hash.toString(encoding)}:`
}

/** Checks that a `Content-Digest` header has a SHA-256 member that matches the body. */
export function checkContentDigest(header: string, body: string | Uint8Array): boolean {
  const encoded = parseByteDictionary(header)?.get('sha-256')
  if (encoded === undefined) return false
  const [claimed, actual] = [decodeBytes(encoded), hashBody(body)]
  return claimed.length === actual.length && timingSafeEqual(claimed, actual)
}

function hashBody(body: string | Uint8Array): Buffer {
  return createHash('sha256').update(body).digest()
}
