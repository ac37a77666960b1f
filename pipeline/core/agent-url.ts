import { parseUrl } from './url.ts'

const UNRESERVED = /[A-Za-z0-9\-._~]/
const LAST_DOT = /\.(?=:\d*$|$)/
/** URL parsers read the first part of a path as the host where there is none. */
const HAS_HOST = /^https?:\/\/[^/\\]/i
const EMPTY_LABEL = /^$|^[.:]|\.\.|\.(?=:|$)/
/** The lookbehind tries a run only from its beginning; trying each of its characters would take quadratic time. */
const LAST_SLASHES = /(?<!\/)\/+$/
const CREDENTIALS = /^[a-z]+:[\\/]*[^\\/?#]*@/i

/**
 * Matches most addresses, which are keys already. A last label of letters excludes numbers, which are
 * IP addresses.
 */
const KEY =
  /^https?:\/\/(?!(?:[^/]*\.)?xn--)(?:[a-z0-9][a-z0-9-]*\.)+[a-z]{2,}(?:\/[A-Za-z0-9_-]+)*$/

/**
 * Converts an address to the key of an agent everywhere, byte for byte: scheme and host in lowercase, no
 * default port, no dot after the host, no fragment, percent escapes normalised, no trailing slashes; the
 * case of the path is kept. Undefined when the text is not an http(s) URL or carries credentials.
 */
export function toAgentUrlKey(text: unknown): string | undefined {
  if (typeof text !== 'string') return undefined
  if (KEY.test(text)) return text
  const trimmed = text.trim()
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
  if (/[\s\x00-\x1f\x7f]/.test(trimmed)) return undefined
  const url = parseUrl(trimmed)
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') return undefined
  const host = url.host.replace(LAST_DOT, '')
  if (!HAS_HOST.test(trimmed) || CREDENTIALS.test(trimmed)) return undefined
  if (EMPTY_LABEL.test(host)) return undefined
  const path = normalizeEscapes(url.pathname).replace(LAST_SLASHES, '')
  return `${url.protocol}//${host}${path}${normalizeEscapes(url.search)}`
}

/** Converts an address like `toAgentUrlKey`, but ignores case: the fallback of lookups. */
export function toLooseAgentUrlKey(text: unknown): string | undefined {
  return toAgentUrlKey(text)?.toLowerCase()
}

function normalizeEscapes(text: string): string {
  if (!text.includes('%')) return text
  return text.replace(/%[0-9a-f]{2}/gi, escaped => {
    const char = String.fromCharCode(Number.parseInt(escaped.slice(1), 16))
    return UNRESERVED.test(char) ? char : escaped.toUpperCase()
  })
}
