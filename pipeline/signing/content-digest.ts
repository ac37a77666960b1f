import { createHash, timingSafeEqual } from 'node:crypto'
import { parseByteDictionary } from './structured-fields.ts'

/** Computes the value of a `Content-Digest` header (RFC 9530) of a body, by SHA-256. */
export function computeContentDigest(body: string | Uint8Array): string {
  return `sha-256=:${hashBody(body).toString('base64')}:`
}

/** Checks that a `Content-Digest` header has a SHA-256 member that matches the body. */
export function checkContentDigest(header: string, body: string | Uint8Array): boolean {
  const claimed = parseByteDictionary(header)?.get('sha-256')
  if (claimed === undefined) return false
  const actual = hashBody(body)
  return claimed.length === actual.length && timingSafeEqual(claimed, actual)
}

function hashBody(body: string | Uint8Array): Buffer {
  return createHash('sha256').update(body).digest()
}
