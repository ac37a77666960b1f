import { getAt } from './present.ts'

/** Counts the letters to change, leave out, add or swap with the next one to turn a word into another. */
export function countEdits(word: string, other: string): number {
  let before: number[] = []
  let last = Array.from({ length: other.length + 1 }, (_, i) => i)
  for (let i = 1; i <= word.length; i++) {
    const row = [i]
    for (let j = 1; j <= other.length; j++) {
      const isSame = word[i - 1] === other[j - 1]
      const isSwapped = word[i - 1] === other[j - 2] && word[i - 2] === other[j - 1]
      row[j] = Math.min(
        getAt(last, j) + 1,
        getAt(row, j - 1) + 1,
        getAt(last, j - 1) + (isSame ? 0 : 1),
        isSwapped ? getAt(before, j - 2) + 1 : Number.POSITIVE_INFINITY,
      )
    }
    before = last
    last = row
  }
  return getAt(last, other.length)
}
