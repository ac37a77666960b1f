import { countEdits } from './edit-distance.ts'

/** Longest word for which a near one is looked for: known words are short, and a comparison costs their product. */
const WORD_CHARS_MAX = 64
const DISTANCE_MAX = 3
const SPELLINGS_MAX = 2_000

/**
 * Finds the known word that another one is most likely a misspelling of: one that differs only in case, in `-`
 * for `_`, in number or in British spelling, else the one with the fewest letters changed, left out, added or
 * swapped. Undefined if none is near.
 */
export function findNearestWord(word: string, known: Iterable<string>): string | undefined {
  if (word.length > WORD_CHARS_MAX) return undefined
  const plain = toPlainSpelling(word)
  let nearest: string | undefined
  let least = DISTANCE_MAX + 1
  for (const candidate of known) {
    if (candidate.length > WORD_CHARS_MAX) continue
    const other = getPlainSpelling(candidate)
    const allowed = Math.floor((Math.min(plain.length, other.length) + 1) / 4)
    if (Math.abs(plain.length - other.length) > allowed && plain !== other) continue
    const distance = countEdits(plain, other)
    if (distance > allowed || distance >= least) continue
    nearest = candidate
    least = distance
  }
  return nearest
}

/** Tells whether two words differ at most in case, in `-` for `_`, in number or in British spelling. */
export function isVariant(a: string, b: string): boolean {
  return toPlainSpelling(a) === getPlainSpelling(b)
}

/** Plain spellings of known words, which are compared with many others. */
const spellings = new Map<string, string>()

function getPlainSpelling(name: string): string {
  const known = spellings.get(name)
  if (known !== undefined) return known
  if (spellings.size >= SPELLINGS_MAX) spellings.clear()
  const plain = toPlainSpelling(name)
  spellings.set(name, plain)
  return plain
}

/** Converts a name to the spelling in which its variants are equal: its parts joined, American and singular. */
function toPlainSpelling(name: string): string {
  const parts = name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[\s._-]+/)
  return parts.map(part => toAmerican(toSingular(part))).join('')
}

function toSingular(part: string): string {
  return part.replace(/ies$/, 'y').replace(/([^s])s$/, '$1')
}

function toAmerican(part: string): string {
  return part
    .replace(/is(?=e|ing|ation)/, 'iz')
    .replace(/our(?=$|ed|ing)/, 'or')
    .replace(/ogue$/, 'og')
    .replace(/ence$/, 'ense')
    .replace(/tre$/, 'ter')
    .replace(/mme$/, 'm')
    .replace(/ll(?=ed$|ing$)/, 'l')
}
