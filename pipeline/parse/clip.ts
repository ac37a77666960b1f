import { truncate } from './faults.ts'

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is removed
const CONTROL = /[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff\ufffd]/g

/** Strips control characters, invisible ones and replacement characters from a foreign text. */
export function stripControls(text: string): string {
  return text
    .replace(/[\t\r\n]+/g, ' ')
    .replace(CONTROL, '')
    .trim()
}

/** Clips a peer's text for display: cleaned and at most so long; undefined when nothing is left. */
export function clip(text: unknown, maxChars: number): string | undefined {
  if (typeof text !== 'string') return undefined
  // Text that is cut off needs no cleaning.
  const clean = stripControls(text.slice(0, maxChars * 4))
  return truncate(clean, maxChars).trim() || undefined
}
