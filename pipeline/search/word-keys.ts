// biome-ignore-all lint/style/noNonNullAssertion: the loop ends where the points do

/** Characters of the longest word that is indexed. */
export const WORD_CHARS_MAX = 64
/** Characters from which a word is found by a misspelling; shorter words have too many neighbours. */
export const FUZZY_CHARS_MIN = 4
/** Characters from which a typed word may be a misspelling: it may have lost one. */
export const TYPED_CHARS_MIN = FUZZY_CHARS_MIN - 1

/**
 * Hashes a word, given as code points, and each of its variants without one character. Two words within one
 * edit have a hash in common. A word shorter than `shortest` has no variants.
 */
export function* hashVariants(points: ArrayLike<number>, shortest: number): Iterable<number> {
  yield hashWithout(points, -1)
  if (points.length < shortest) return
  for (let i = 0; i < points.length; i++) {
    // Of two equal neighbours it makes no difference which is missing.
    if (points[i] !== points[i - 1]) yield hashWithout(points, i)
  }
}

/** Hashes a word without one of its characters (FNV-1a). */
function hashWithout(points: ArrayLike<number>, missing: number): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < points.length; i++) {
    if (i !== missing) hash = Math.imul(hash ^ points[i]!, 0x01000193)
  }
  // FNV-1a spreads its low bits badly, and buckets are chosen by them: mix once more.
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)
  return (hash ^ (hash >>> 13)) >>> 0
}
