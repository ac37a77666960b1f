import idn from 'idn-hostname'
import unhomoglyph from 'unhomoglyph'
import { classifyScripts } from './unicode-scripts.ts'

// biome-ignore lint/suspicious/noControlCharactersInRegex: the range is "plain ASCII"
const ASCII = /^[\x00-\x7f]*$/

/**
 * Letters that people confuse although Unicode's table of confusables keeps them apart, since it compares
 * capitals or another typeface. Keys are prototypes: letters as that table maps them.
 */
const extraConfusables: Readonly<Record<string, string>> = {
  ᴛ: 't',
  ʜ: 'h',
  ʙ: 'b',
  ʍ: 'rn',
  ĸ: 'k',
  ʟ: 'l',
  π: 'n',
  ш: 'w',
  χ: 'x',
  ω: 'w',
  ƅ: 'b',
  ꞓ: 'e',
}
const EXTRA_CONFUSABLE = new RegExp(`[${Object.keys(extraConfusables).join('')}]`, 'gu')

/**
 * Computes the skeleton of a name (UTS #39): two names look alike if and only if their skeletons are
 * equal. Based on the Unicode form in lower case, so that 0 and o, 1 and l, m and rn are one.
 */
export function toSkeleton(name: string): string {
  if (ASCII.test(name) && !name.includes('xn--')) return toAsciiSkeleton(name)
  const text = toUnicode(name).replaceAll('ӏ', 'l').normalize('NFD')
  return unhomoglyph(text)
    .normalize('NFD')
    .toLowerCase()
    .replace(EXTRA_CONFUSABLE, letter => extraConfusables[letter] ?? letter)
}

/** ASCII letters and digits that are mistaken for others, each with these. */
export const asciiLookalikes = [
  ['0', 'o'],
  ['1', 'l'],
  ['m', 'rn'],
] as const

function toAsciiSkeleton(name: string): string {
  return asciiLookalikes.reduce(
    (text, [written, looks]) => text.replaceAll(written, looks),
    name.toLowerCase(),
  )
}

/** Converts the A-labels of a domain to Unicode; other labels stay as they are. */
export function toUnicode(domain: string): string {
  return domain.split('.').map(readLabel).join('.')
}

function readLabel(label: string): string {
  if (!label.startsWith('xn--')) return label
  try {
    return idn.punycode.toUnicode(label).normalize('NFC')
  } catch {
    return label
  }
}

/**
 * Converts a domain to the form to show people: in its own letters where each label is of one script and none
 * looks like ASCII, else as it is.
 */
export function toReadableDomain(domain: string): string {
  const isSafe =
    isAllowedIdn(domain) &&
    domain
      .split('.')
      .filter(isIdn)
      .every(label => {
        return classifyScripts(toUnicode(label)) === 'one' && !ASCII.test(toSkeleton(label))
      })
  return isSafe ? toUnicode(domain) : domain
}

/** Tells whether a domain has labels in letters other than ASCII. */
export function isIdn(domain: string): boolean {
  return domain.split('.').some(label => label.startsWith('xn--'))
}

/** Tells whether IDNA 2008 allows the labels of a domain. */
export function isAllowedIdn(domain: string): boolean {
  try {
    return idn.idnHostname(toUnicode(domain)) === domain && idn.isIdnHostname(domain)
  } catch {
    return false
  }
}
