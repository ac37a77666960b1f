import type { IncomingHttpHeaders } from 'node:http'
import { type Instant, SECOND } from '../../pipeline/core/clock.ts'

/**
 * Cache headers by policy. Content that a commit changes is revalidated each time, which its ETag makes
 * cheap: the ETag covers the content and the state of its files without their times, so a night without
 * changes changes no ETag.
 */
export const cachePolicies = {
  revalidate: 'public, no-cache',
  /** Policy for answers from files or rows that no cache in front is told about. */
  unshared: 'public, no-cache',
  list: 'public, max-age=5',
  minute: 'public, max-age=60',
  document: 'public, max-age=3600',
  /** Policy for answers that depend on the caller. */
  personal: 'private, no-cache',
  private: 'private, no-store',
  none: 'no-store',
} as const

export type CachePolicy = keyof typeof cachePolicies

/** Maximum ages in callers' own caches of what a cache in front of the API may share. */
const sharedPolicies: Partial<Record<CachePolicy, string>> = {
  revalidate: 'public, max-age=0',
  list: cachePolicies.list,
}

/**
 * Builds the cache header of a policy. With `sharedS` a cache in front of the API reuses lookups and lists for these
 * seconds, and for as many again while it revalidates: an answer is at most twice as old.
 */
export function buildCacheControl(policy: CachePolicy, sharedS: number): string {
  const own = sharedPolicies[policy]
  if (own === undefined || sharedS === 0) return cachePolicies[policy]
  return `${own}, s-maxage=${sharedS}, stale-while-revalidate=${sharedS}`
}

/**
 * Tells whether the caller's copy is this content, so that 304 answers: by its ETag (`If-None-Match`, compared weakly), else
 * by the second of its last change (`If-Modified-Since`).
 */
export function isUnchanged(
  headers: Readonly<IncomingHttpHeaders>,
  { etag, modifiedAt }: { etag?: string | undefined; modifiedAt?: Instant | undefined },
): boolean {
  const { 'if-none-match': tags, 'if-modified-since': since } = headers
  if (tags !== undefined) return etag !== undefined && includesTag(tags, etag)
  if (since === undefined || modifiedAt === undefined) return false
  return Math.floor(modifiedAt / SECOND) * SECOND <= Date.parse(since)
}

function includesTag(tags: string, etag: string): boolean {
  if (tags.trim() === '*') return true
  return tags.split(',').some(tag => tag.trim().replace(/^W\//, '') === `"${etag}"`)
}
