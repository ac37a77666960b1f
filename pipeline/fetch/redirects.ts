import { isUtf8 } from 'node:buffer'
import { isSameSite } from '../core/domain.ts'
import { getAt, getFirst } from '../core/present.ts'
import { parseNormalizedUrl } from '../core/url.ts'
import type { Failure } from './failures.ts'
import { type Allowance, checkHost, checkUrlForm } from './ssrf-guard.ts'

export interface RedirectRules {
  redirects: 'same-site' | 'same-host' | 'any' | 'none'
  maxRedirects: number
  allow?: Allowance
}

const redirectStatuses = new Set([301, 302, 303, 307, 308])

export function isRedirect(status: number, rules: RedirectRules): boolean {
  if (redirectStatuses.has(status)) return true
  return rules.redirects === 'none' && status >= 300 && status < 400 && status !== 304
}

/**
 * Resolves a redirect and checks that it may be followed. `visited` are the addresses requested so
 * far: same-site is checked against the first of them, not the last, so that a chain of redirects
 * cannot leave the site step by step.
 */
export function resolveHop(
  location: string | string[] | undefined,
  visited: readonly URL[],
  rules: RedirectRules,
): URL | Failure {
  if (rules.redirects === 'none')
    return refuseRedirect('redirects, which is not allowed for this file')
  if (typeof location !== 'string')
    return refuseRedirect('redirects without a location, or to several')
  const [first, last] = [getFirst(visited), getAt(visited, visited.length - 1)]
  const next = parseNormalizedUrl(decodeLocation(location), last.href)
  if (!next) return refuseRedirect('redirects to an invalid address')
  if (visited.some(url => url.href === next.href)) return refuseRedirect('redirects in a loop')
  if (visited.length > rules.maxRedirects) return refuseRedirect('redirects too many times')
  const form = checkUrlForm(next, rules.allow)
  if (form) return refuseRedirect(`redirects, but ${form}`)
  const host = checkHost(next.hostname)
  if (host) return { outcome: 'refused', detail: host }
  if (rules.redirects === 'same-site' && !isSameSite(next.hostname, first.hostname))
    return refuseRedirect('redirects to another site')
  if (rules.redirects === 'same-host' && next.hostname !== first.hostname)
    return refuseRedirect('redirects to another host')
  return next
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the range is "beyond ASCII"
const BEYOND_ASCII = /[^\x00-\x7f]/g

/**
 * Decodes a `Location`, of which each character is one byte: bytes beyond ASCII are UTF-8, in the host too.
 * Where they are not, they are requested as they are.
 */
function decodeLocation(location: string): string {
  if (location.search(BEYOND_ASCII) < 0) return location
  const bytes = Buffer.from(location, 'latin1')
  return isUtf8(bytes)
    ? bytes.toString()
    : location.replace(BEYOND_ASCII, byte => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`)
}

function refuseRedirect(detail: string): Failure {
  return { outcome: 'bad_redirect', detail }
}
