/** Pairs of an identifier in its one value at most; beyond that the value only says that there are more. */
const INLINE_PAIRS_MAX = 8
const MANY = '*'

/** A property by the key it is found under: its rid, and who owns it. */
export interface Pair {
  rid: string
  owner: string
}

interface Stored {
  key: string
  value: Buffer
}

/** Builds the name under which the pairs of one identifier are stored. */
export function toIdentifierName(pairKey: string): string {
  return pairKey.slice(0, pairKey.indexOf(' '))
}

/** Maximum number of pairs that must be read to build the value of a name. */
export const PAIRS_READ = INLINE_PAIRS_MAX + 1

/**
 * Encodes all pairs of an identifier as one value, which one read finds: a range costs several reads, and
 * most requested names have none. The value of an identifier that thousands list stays small, so that a
 * change of one of them writes little. Undefined if there are none.
 */
export function encodePairs(pairs: readonly Stored[]): Buffer | undefined {
  if (pairs.length === 0) return undefined
  if (pairs.length > INLINE_PAIRS_MAX) return Buffer.from(MANY)
  const lines = pairs.map(
    ({ key, value }) => `${key.slice(key.indexOf(' ') + 1)} ${value.toString('latin1')}`,
  )
  return Buffer.from(lines.join('\n'), 'latin1')
}

/** Reads the pairs of a value; undefined if there are more than it holds. */
export function readNamed(value: string): Pair[] | undefined {
  if (value === MANY) return undefined
  return value.split('\n').map(line => {
    const space = line.indexOf(' ')
    return { rid: line.slice(0, space), owner: line.slice(space + 1) }
  })
}
