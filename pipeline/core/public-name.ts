/** Suffixes of names that resolve inside private networks, or nowhere. */
const PRIVATE =
  /(?:^|\.)(?:localhost|local|localdomain|internal|intranet|lan|home|corp|private|home\.arpa|arpa|invalid|onion|alt)$/
const PUBLIC_END = /\.(?:[a-z]{2,}|xn--[a-z0-9-]+)$/

/** Tells whether a name may be on the public Internet; only a lookup can tell that it is. */
export function canBePublic(domain: string): boolean {
  return PUBLIC_END.test(domain) && !PRIVATE.test(domain)
}
