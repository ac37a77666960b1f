const UNRESERVED = /[A-Za-z0-9\-._~]/
/** A run is tried from its beginning only: from each of its characters would take its square. */
const LAST_DOTS = /(?<!\.)\.+(?=:|$)/
const LAST_SLASHES = /(?<!\/)\/+$/
const CREDENTIALS = /^[a-z]+:[\\/]*[^\\/?#]*@/i

/** What most addresses are: a key already. A last label of letters keeps numbers out, which are IP addresses. */
const KEY =
  /^https?:\/\/(?!(?:[^/]*\.)?xn--)(?:[a-z0-9][a-z0-9-]*\.)+[a-z]{2,}(?:\/[A-Za-z0-9_-]+)*$/

/**
 * The key of an agent everywhere, byte for byte: scheme and host in lower case, no default port, no
 * dot after the host, no fragment, percent escapes normalised, no trailing slashes; the case of the
 * path is kept. Undefined when the text is not an http(s) URL or carries credentials.
 */
export function agentUrlKey(text: unknown): string | undefined {
  if (typeof text !== 'string') return undefined
  if (KEY.test(text)) return text
  const trimmed = text.trim()
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
  if (/[\s\x00-\x1f\x7f]/.test(trimmed) || !URL.canParse(trimmed)) return undefined
  const url = new URL(trimmed)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return undefined
  const host = url.host.replace(LAST_DOTS, '')
  if (CREDENTIALS.test(trimmed) || /^:|^$/.test(host)) return undefined
  const path = normalizeEscapes(url.pathname).replace(LAST_SLASHES, '')
  return `${url.protocol}//${host}${path}${normalizeEscapes(url.search)}`
}

/** Like `agentUrlKey`, without regard to case: what a lookup falls back to. */
export function looseAgentUrlKey(text: unknown): string | undefined {
  return agentUrlKey(text)?.toLowerCase()
}

function normalizeEscapes(text: string): string {
  if (!text.includes('%')) return text
  return text.replace(/%[0-9a-f]{2}/gi, escaped => {
    const char = String.fromCharCode(Number.parseInt(escaped.slice(1), 16))
    return UNRESERVED.test(char) ? char : escaped.toUpperCase()
  })
}
