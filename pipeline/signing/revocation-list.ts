/** A list of revoked keys as its issuer publishes it; times are ISO 8601. */
export interface RevocationList {
  issuer: string
  updated: string
  next_update: string
  revoked_kids: readonly string[]
  revoked_jtis?: readonly string[]
}

/** Seconds after `next_update` for which a list is still believed. */
const GRACE_SECONDS = 300

/** A list that announces its successor later than this would hide a revocation for too long. */
const LIFETIME_SECONDS_MAX = 7 * 24 * 3600

/**
 * Checks a key against a list at a time in seconds: `stale` where the list is too old, or lives too
 * long, to be believed: nothing signed may be accepted then.
 */
export function checkRevocation(
  list: RevocationList,
  keyid: string,
  now: number,
): 'valid' | 'revoked' | 'stale' {
  if (list.revoked_kids.includes(keyid)) return 'revoked'
  const nextUpdate = Date.parse(list.next_update) / 1000
  const isCurrent = now <= nextUpdate + GRACE_SECONDS && nextUpdate - now <= LIFETIME_SECONDS_MAX
  return isCurrent ? 'valid' : 'stale'
}
