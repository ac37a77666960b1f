/** Suffixes of names that resolve inside private networks, or nowhere. */
const PRIVATE_SUFFIX =
  /(?:^|\.)(?:localhost|local|localdomain|internal|intranet|lan|home|corp|private|home\.arpa|arpa|invalid|onion|alt)$/
/** Matches names that end in a top-level domain, which has letters; an IP address does not. */
const PUBLIC_SUFFIX = /\.(?:[a-z]{2,}|xn--[a-z0-9-]+)$/

/** Tells whether a name can exist on the public internet. Whether it does, only a DNS lookup tells. */
export function canBePublic(domain: string): boolean {
  return PUBLIC_SUFFIX.test(domain) && !PRIVATE_SUFFIX.test(domain)
}
