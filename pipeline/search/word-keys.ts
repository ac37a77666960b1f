/** Longer ones are no words. */
export const WORD_CHARS_MAX = 64
/** Shorter words have too many neighbours to be told from a misspelling. */
export const FUZZY_CHARS_MIN = 4
/** A misspelled word may have lost a character. */
export const TYPED_CHARS_MIN = FUZZY_CHARS_MIN - 1

/**
 * Hashes of a word, given as code points, and of what is left of it without any one character. Two
 * words that are one edit from each other have one of them in common, whatever the edit.
 */
export function* hashVariants(points: ArrayLike<number>, shortest: number): Iterable<number> {
  yield hashWithout(points, -1)
  if (points.length < shortest) return
  for (let i = 0; i < points.length; i++) {
    // Of two that are alike, it makes no difference which one is missing.
    if (points[i] !== points[i - 1]) yield hashWithout(points, i)
  }
}

/** Hashes a word without one of its characters (FNV-1a). */
function hashWithout(points: ArrayLike<number>, missing: number): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < points.length; i++) {
    if (i !== missing) hash = Math.imul(hash ^ points[i]!, 0x01000193)
  }
  // Its low bits alone are spread badly.
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)
  return (hash ^ (hash >>> 13)) >>> 0
}
