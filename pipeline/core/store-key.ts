/** Bytes of the longest key that LMDB stores, and one less for the end of a range. */
const KEY_BYTES_MAX = 1_977
/** A character of UTF-16 takes three bytes of UTF-8 at most. */
const CHARS_SURE = Math.floor(KEY_BYTES_MAX / 3)

/**
 * Tells whether a store may have an entry under this key. Callers choose some keys, and LMDB fails on one that is too
 * long to be stored, where it should only say that it has none.
 */
export function isStorableKey(key: string | Uint8Array): boolean {
  if (key.length <= CHARS_SURE) return true
  return (typeof key === 'string' ? Buffer.byteLength(key) : key.length) <= KEY_BYTES_MAX
}
