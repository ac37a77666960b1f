import { parseUrl } from '../core/url.ts'

/** A URL as a signature covers it. */
export interface TargetUri {
  /** `@target-uri`: scheme, authority, path and query. */
  uri: string
  /** `@authority`: host, and the port where it is not the scheme's own. */
  authority: string
}

/** Scheme, authority as written, path, and query with its `?`; a fragment is left out. */
const PARTS = /^(https?):\/\/([^/?#]+)([^?#]*)(\?[^#]*)?/i

const UNRESERVED = /[A-Za-z0-9\-._~]/

/**
 * Normalizes a URL, so that signer and verifier sign the same bytes: lowercase scheme and host, A-labels,
 * no default port, user or fragment, dot segments resolved, unreserved characters of the path decoded; the
 * query stays byte for byte. One dot at the end of the host is the root of the DNS and is left out. Undefined
 * unless it is an http(s) URL with a host in which no label is empty.
 */
export function normalizeTargetUri(url: string): TargetUri | undefined {
  const parts = PARTS.exec(url)
  const target = parts && parseUrl(url)
  if (!target) return undefined
  const { protocol, hostname, port, pathname } = target
  const name = hostname.endsWith('.') ? hostname.slice(0, -1) : hostname
  if (name.split('.').includes('')) return undefined
  const authority = `${name}${port && `:${port}`}`
  return { uri: `${protocol}//${authority}${normalizePath(pathname)}${parts[4] ?? ''}`, authority }
}

/** Tells whether the authority of a URL is written in ASCII, as HTTP transmits it. */
export function hasAsciiAuthority(url: string): boolean {
  const authority = PARTS.exec(url)?.[2] ?? ''
  // biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII is meant, control characters included
  return /^[\x00-\x7f]*$/.test(authority)
}

/** Decodes `%XX` of unreserved characters, and writes the others with capital letters. */
function normalizePath(path: string): string {
  return path.replace(/%[0-9a-f]{2}/gi, escaped => {
    const char = String.fromCharCode(Number.parseInt(escaped.slice(1), 16))
    return UNRESERVED.test(char) ? char : escaped.toUpperCase()
  })
}
