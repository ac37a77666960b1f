import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/**
 * Address ranges outside the public internet. IPv6 beyond 2000::/3 is refused as a whole: unspecified
 * and loopback, every form that wraps an IPv4 address (compatible, translated, NAT64), discard, segment
 * routing, unique local, link local, site local and multicast lie there. Only the mapped form is
 * unwrapped and judged as the IPv4 address it is.
 */
const closedRanges = {
  v4: [
    '0.0.0.0/8',
    '10.0.0.0/8',
    '100.64.0.0/10',
    '127.0.0.0/8',
    '168.63.129.16/32', // the host agent of Azure
    '169.254.0.0/16',
    '172.16.0.0/12',
    '192.0.0.0/24',
    '192.0.2.0/24',
    '192.88.99.0/24',
    '192.168.0.0/16',
    '198.18.0.0/15',
    '198.51.100.0/24',
    '203.0.113.0/24',
    '224.0.0.0/4',
    '240.0.0.0/4',
  ],
  v6: [
    '::/3',
    '2001::/23', // Teredo among it
    '2001:db8::/32',
    '2002::/16', // 6to4
    '3ffe::/16',
    '3fff::/20',
    '4000::/2',
    '8000::/1',
  ],
}

/** Assigned for use by everyone, inside 2001::/23. */
const openRangesV6 = [
  '2001:1::1/128',
  '2001:1::2/128',
  '2001:1::3/128',
  '2001:3::/32',
  '2001:4:112::/48',
  '2001:20::/28',
  '2001:30::/28',
]

/** Suffixes of names for this machine, its network, or a cloud metadata service. */
const closedSuffixes = ['localhost', 'localdomain', 'local', 'internal', 'home.arpa']
const closedNames = new Set([
  'metadata.goog',
  'metadata.packet.net',
  'metadata.platformequinix.com',
  'metadata.tencentyun.com',
])

export interface Allowance {
  /** Allows plain http too. */
  http?: boolean
  /** Allows any port, for agents; documents are on 443. */
  anyPort?: boolean
  /** Host that may be in a private network because an operator named it. */
  privateHost?: string
}

const closedV4 = closedRanges.v4.map(range => ipaddr.IPv4.parseCIDR(range))
const closedV6 = closedRanges.v6.map(range => ipaddr.IPv6.parseCIDR(range))
const openV6 = openRangesV6.map(range => ipaddr.IPv6.parseCIDR(range))

/** Tells whether an address literal, however it is written, is publicly reachable. */
export function isPublicAddress(ip: string): boolean {
  const address = parseAddress(ip)
  if (address === undefined) return false
  if (address instanceof ipaddr.IPv4) return !closedV4.some(range => address.match(range))
  if (openV6.some(range => address.match(range))) return true
  return !closedV6.some(range => address.match(range))
}

function parseAddress(ip: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  const bare = ip.replace(/^\[(.*)\]$/, '$1').replace(/%.*$/, '')
  // The parser reads the IPv4-compatible form as the IPv4-mapped one.
  if (/^::\d+\./.test(bare)) return undefined
  return ipaddr.isValid(bare) ? ipaddr.process(bare) : undefined
}

/** Sentences for callers about an address that may not be requested, by the reason. */
export const guardTexts = {
  scheme: 'the address is not https',
  credentials: 'the address contains credentials',
  port: 'the address contains a port',
  name: 'the host name has an empty label',
  not_public: 'the host is not on the public internet',
} as const

/** Returns why a URL may not be fetched, or undefined. Does not resolve its name. */
export function checkUrl(url: URL, allow: Allowance = {}): string | undefined {
  return (
    checkUrlForm(url, allow) ??
    (url.hostname === allow.privateHost ? undefined : checkHost(url.hostname))
  )
}

/** Returns which rule about the form of a URL it breaks; these apply to redirects as well. */
export function checkUrlForm(url: URL, allow: Allowance = {}): string | undefined {
  const plain = url.protocol === 'http:'
  if (url.protocol !== 'https:' && !(plain && allow.http)) return guardTexts.scheme
  if (url.username || url.password) return guardTexts.credentials
  if (url.port && !allow.anyPort) return guardTexts.port
  return undefined
}

export function checkHost(host: string): string | undefined {
  const literal = host.startsWith('[') ? host.slice(1, -1) : host
  if (isIP(literal)) return isPublicAddress(literal) ? undefined : notPublic
  if (host === '' || host.startsWith('.') || host.endsWith('.') || host.includes('..'))
    return guardTexts.name
  if (!host.includes('.') || closedNames.has(host)) return notPublic
  return closedSuffixes.some(suffix => isBelow(host, suffix)) ? notPublic : undefined
}

export const notPublic = guardTexts.not_public

function isBelow(host: string, suffix: string): boolean {
  return host.endsWith(suffix) && host[host.length - suffix.length - 1] === '.'
}
