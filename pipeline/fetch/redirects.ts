import { isSameSite } from '../core/domain.ts'
import type { Failure } from './failures.ts'
import { type Allowance, formRefusal, hostRefusal } from './guard.ts'

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
 * Where a redirect leads, if it may be followed. `trail` are the addresses asked so far: the first is
 * what the site is measured by, not the last, or a chain of neighbours would lead anywhere.
 */
export function nextHop(
  location: string | string[] | undefined,
  trail: readonly URL[],
  rules: RedirectRules,
): URL | Failure {
  if (rules.redirects === 'none') return bad('redirects, which this file may not')
  if (typeof location !== 'string') return bad('redirects to no place, or to several')
  const [first, last] = [trail[0]!, trail[trail.length - 1]!]
  if (!URL.canParse(location, last.href)) return bad('redirects to something that is no address')
  const next = new URL(location, last)
  next.hash = ''
  if (trail.some(url => url.href === next.href)) return bad('redirects in a circle')
  if (trail.length > rules.maxRedirects) return bad('redirects too often')
  const form = formRefusal(next, rules.allow)
  if (form) return bad(`redirects, but ${form}`)
  const host = hostRefusal(next.hostname)
  if (host) return { outcome: 'refused', detail: host }
  if (rules.redirects === 'same-site' && !isSameSite(next.hostname, first.hostname))
    return bad('redirects to another site')
  if (rules.redirects === 'same-host' && next.hostname !== first.hostname)
    return bad('redirects to another host')
  return next
}

function bad(detail: string): Failure {
  return { outcome: 'bad_redirect', detail }
}
