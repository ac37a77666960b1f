import { domainToUnicode } from 'node:url'

/** Letters without a decomposition, as people type them on other keyboards. */
const replacements: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  ħ: 'h',
  ı: 'i',
  ĸ: 'k',
  ł: 'l',
  ŋ: 'n',
  þ: 'th',
  ŧ: 't',
  ς: 'σ',
}
const SPECIAL_LETTERS = new RegExp(`[${Object.keys(replacements).join('')}]`, 'g')
const PRINTABLE_ASCII = /^[\x20-\x7e]*$/

/**
 * Folds a text for search: compatibility forms, case and diacritics are folded, invisible characters
 * dropped, white space becomes one blank. Folding twice changes nothing.
 */
export function fold(text: string): string {
  const letters = PRINTABLE_ASCII.test(text) ? text.toLowerCase() : foldLetters(text)
  return letters.replace(/\s+/g, ' ').trim()
}

function foldLetters(text: string): string {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(SPECIAL_LETTERS, (letter: string) => replacements[letter] ?? letter)
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .replace(/[\p{Cf}\p{Cs}]/gu, '')
}

/** Splits a folded text into runs of letters and digits. */
export function splitWords(folded: string): string[] {
  return folded.match(/[\p{L}\p{N}]+/gu) ?? []
}

/** Lists the forms in which people type a domain: as stored, and in its own script. */
export function listTypedForms(domain: string): string[] {
  if (!domain.includes('xn--')) return [domain]
  const unicode = domainToUnicode(domain)
  return unicode === '' || unicode === domain ? [domain] : [domain, unicode]
}
