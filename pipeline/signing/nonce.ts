import { isEncodedAs } from './binary-encoding.ts'

/** Fewest random bytes of a nonce: with 128 bits nobody meets one by chance. */
const NONCE_BYTES_MIN = 16

/** Tells whether a nonce is base64url without padding, of enough bytes. */
export function isNonce(nonce: string): boolean {
  return (
    isEncodedAs(nonce, 'base64url') && Buffer.from(nonce, 'base64url').length >= NONCE_BYTES_MIN
  )
}
