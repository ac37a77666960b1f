import { stripControls } from '../parse/clip.ts'

const SECRET_NAME =
  /authorization|credential|token|api_?key|password|secret|cookie|signature|session/i
const REDACTED = '[redacted]'
const TEXT_CHARS_MAX = 200

/** Bounds of a shown value: levels below it, items of each list or object, characters of a text. */
interface Bounds {
  levels: number
  items: number
  chars: number
}

const usualBounds: Bounds = { levels: 3, items: 5, chars: TEXT_CHARS_MAX }

/** Prepares an agent’s answer for display: shortens it, and hides members whose names suggest a secret. */
export function redact(value: unknown, path = '', bounds = usualBounds): unknown {
  if (SECRET_NAME.test(path.slice(path.lastIndexOf('.') + 1))) return REDACTED
  if (typeof value === 'string') return shortenText(value, bounds.chars)
  if (typeof value !== 'object' || value === null) return value
  if (bounds.levels === 0) return '…'
  const { items } = bounds
  const below = { ...bounds, levels: bounds.levels - 1 }
  if (Array.isArray(value)) return value.slice(0, items).map(item => redact(item, '', below))
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, items)
      .map(([name, member]) => [shortenText(name), redact(member, name, below)]),
  )
}

/** Cleans and shortens a text of an agent. */
export function shortenText(text: string, charsMax = TEXT_CHARS_MAX): string {
  const clean = stripControls(text.slice(0, charsMax * 2))
  return clean.length > charsMax ? `${clean.slice(0, charsMax)}…` : clean
}
