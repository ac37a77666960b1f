/** Pairs that the value of an identifier holds; if there are more, it only says so. */
const INLINE_PAIRS_MAX = 8
const MANY = '*'

/** A property that has an identifier: its rid, and its publisher. */
export interface Pair {
  rid: string
  owner: string
}

/** A pair as it is stored: its key is the name, a space and the rid. */
export interface StoredPair {
  key: string
  value: Buffer
}

/** Returns the part of a pair’s key that names the identifier; the value with all its pairs has this key. */
export function toIdentifierName(pairKey: string): string {
  return pairKey.slice(0, pairKey.indexOf(' '))
}

/** Pairs that are read to build a value: one more than it holds. */
export const PAIRS_READ_MAX = INLINE_PAIRS_MAX + 1

/**
 * Encodes the pairs of an identifier as one value, since a lookup of one value is several times cheaper than
 * of a range. The value of an identifier that thousands of properties list stays small, so that a change of
 * one of them writes little. Undefined if there are none.
 */
export function encodePairs(pairs: readonly StoredPair[]): Buffer | undefined {
  if (pairs.length === 0) return undefined
  if (pairs.length > INLINE_PAIRS_MAX) return Buffer.from(MANY)
  const lines = pairs.map(
    ({ key, value }) => `${key.slice(key.indexOf(' ') + 1)} ${value.toString('latin1')}`,
  )
  return Buffer.from(lines.join('\n'), 'latin1')
}

/** Decodes the pairs of a value; undefined if it only says that there are many. */
export function decodePairs(value: string): Pair[] | undefined {
  if (value === MANY) return undefined
  return value.split('\n').map(line => {
    const space = line.indexOf(' ')
    return { rid: line.slice(0, space), owner: line.slice(space + 1) }
  })
}
