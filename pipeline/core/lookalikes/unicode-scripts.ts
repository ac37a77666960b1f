/** Scripts in which names are written today (UAX #31, recommended). */
const scripts = [
  'Arabic',
  'Armenian',
  'Bengali',
  'Bopomofo',
  'Cyrillic',
  'Devanagari',
  'Ethiopic',
  'Georgian',
  'Greek',
  'Gujarati',
  'Gurmukhi',
  'Han',
  'Hangul',
  'Hebrew',
  'Hiragana',
  'Kannada',
  'Katakana',
  'Khmer',
  'Lao',
  'Latin',
  'Malayalam',
  'Myanmar',
  'Oriya',
  'Sinhala',
  'Tamil',
  'Telugu',
  'Thaana',
  'Thai',
  'Tibetan',
]

/** Scripts that one word may mix: Japanese, Chinese and Korean, each with Latin (UTS #39). */
const mixtures = [
  ['Latin', 'Han', 'Hiragana', 'Katakana'],
  ['Latin', 'Han', 'Bopomofo'],
  ['Latin', 'Han', 'Hangul'],
]

const shared = '\\p{scx=Common}\\p{scx=Inherited}'
const families = [...scripts.map(script => [script]), ...mixtures].map(
  family => new RegExp(`^[${family.map(toPattern).join('')}${shared}]*$`, 'u'),
)
const usual = new RegExp(`[${scripts.map(toPattern).join('')}]`, 'u')
const ofNone = new RegExp(`^[${shared}]$`, 'u')

function toPattern(script: string): string {
  return `\\p{scx=${script}}`
}

/**
 * Classifies the scripts of a label: `one` at the level "highly restrictive" of UTS #39, `mixed` when
 * it mixes what no language mixes, `unusual` when all its letters are rarely used in names.
 */
export function classifyScripts(label: string): 'one' | 'mixed' | 'unusual' {
  if (families.some(family => family.test(label))) return 'one'
  const letters = [...label].filter(letter => !ofNone.test(letter))
  return letters.some(letter => usual.test(letter)) ? 'mixed' : 'unusual'
}
