/**
 * How long an answer may be kept. Content that a commit changes is asked for again each time, which
 * its ETag makes cheap: the ETag covers the content without the freshness block, so a quiet night
 * changes no ETag.
 */
export const cachePolicies = {
  revalidate: 'public, no-cache',
  list: 'public, max-age=5',
  minute: 'public, max-age=60',
  document: 'public, max-age=3600',
  /** What it says depends on who asks. */
  personal: 'private, no-cache',
  private: 'private, no-store',
  none: 'no-store',
} as const

export type CachePolicy = keyof typeof cachePolicies

/** Whether the caller holds this content already (`If-None-Match`, compared weakly). */
export function isHeld(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false
  if (ifNoneMatch.trim() === '*') return true
  return ifNoneMatch.split(',').some(tag => tag.trim().replace(/^W\//, '') === `"${etag}"`)
}
