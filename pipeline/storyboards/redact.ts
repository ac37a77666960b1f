import { stripControls } from '../parse/clip.ts'

const SECRET_NAME =
  /authorization|credential|token|api_?key|password|secret|cookie|signature|session/i
const REDACTED = '[redacted]'
const TEXT_CHARS_MAX = 200
const ITEMS_MAX = 5
const LEVELS_MAX = 3

/** Shortens what an agent said, and hides what its names call a secret, so that it may be shown. */
export function redact(value: unknown, path = '', levels = LEVELS_MAX): unknown {
  if (SECRET_NAME.test(path.slice(path.lastIndexOf('.') + 1))) return REDACTED
  if (typeof value === 'string') return shortenText(value)
  if (typeof value !== 'object' || value === null) return value
  if (levels === 0) return '…'
  if (Array.isArray(value)) {
    return value.slice(0, ITEMS_MAX).map(item => redact(item, '', levels - 1))
  }
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, ITEMS_MAX)
      .map(([name, member]) => [shortenText(name), redact(member, name, levels - 1)]),
  )
}

/** Cleans and shortens a text of an agent. */
export function shortenText(text: string): string {
  const clean = stripControls(text.slice(0, TEXT_CHARS_MAX * 2))
  return clean.length > TEXT_CHARS_MAX ? `${clean.slice(0, TEXT_CHARS_MAX)}…` : clean
}
