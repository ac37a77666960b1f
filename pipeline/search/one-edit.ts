/** Converts a text to its code points. */
export function toCodePoints(text: string): number[] {
  return Array.from(text, character => character.codePointAt(0) ?? 0)
}

/**
 * Tells whether `a` and `b` are equal or one edit apart: a character added, removed, replaced, or two
 * neighbours swapped.
 */
export function isWithinOneEdit(a: ArrayLike<number>, b: ArrayLike<number>): boolean {
  if (a.length > b.length) return isWithinOneEdit(b, a)
  if (b.length - a.length > 1) return false
  let start = 0
  while (start < a.length && a[start] === b[start]) start++
  let rest = a.length
  let end = b.length
  while (rest > start && a[rest - 1] === b[end - 1]) {
    rest--
    end--
  }
  // The part between the common prefix and the common suffix.
  const left = rest - start
  if (end - start <= 1) return true
  return left === 2 && end - start === 2 && a[start] === b[start + 1] && a[start + 1] === b[start]
}
