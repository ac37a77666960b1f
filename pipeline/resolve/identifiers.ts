import { bareHost, identifierHost, registrableDomain } from '../core/domain.ts'
import type { Identifier } from '../model/documents.ts'

/** Pages of a YouTube channel that are not its address. */
const CHANNEL_TAB =
  /\/(?:about|channels|community|featured|live|playlists|podcasts|shorts|streams|videos)$/

/** How each type is written where only one spelling can stand. */
const spellings = new Map<string, (value: string) => string>([
  ['domain', value => bareHost(identifierHost(value))],
  ['subdomain', identifierHost],
  ['rss_url', value => urlSpelling(value, url => url)],
  ['youtube_channel_handle', value => `@${value.replace(/^@/, '').toLowerCase()}`],
  ['youtube_channel_url', value => urlSpelling(value, channelAddress)],
])

/**
 * An identifier in its one spelling. Addresses keep the case of their path and of their query, which
 * two identifiers may still differ in and be the same (`identifierKey`).
 */
export function spelled({ type, value }: Identifier): Identifier {
  const spell = spellings.get(type) ?? ((text: string) => text.toLowerCase())
  return { type, value: spell(value.trim()) }
}

/** What two identifiers have in common when they name the same thing: never more than a type apart. */
export function identifierKey(identifier: Identifier): string {
  return `${identifier.type}:${spelled(identifier).value.toLowerCase()}`
}

/**
 * The keys (`identifierKey`) under which a declared identifier can stand that matches an asked one:
 * its own, and for a domain the wildcard over each of its parents. A wildcard never reaches over a
 * public suffix, whose tenants are strangers to each other.
 */
export function lookupKeys(asked: Identifier): string[] {
  const own = identifierKey(asked)
  if (asked.type !== 'domain') return [own]
  return [own, ...parentsOf(identifierHost(asked.value)).map(parent => `domain:*.${parent}`)]
}

/** Whether a declared identifier speaks of what the asked one names. */
export function matches(declared: Identifier, asked: Identifier): boolean {
  return declared.type === asked.type && lookupKeys(asked).includes(identifierKey(declared))
}

/** The names above a host, down to its registrable domain. */
function parentsOf(host: string): string[] {
  if (host.startsWith('*.')) return []
  const site = registrableDomain(host)
  const parents: string[] = []
  let name = host
  while (site !== undefined && name !== site) {
    name = name.slice(name.indexOf('.') + 1)
    parents.push(name)
  }
  return parents
}

function urlSpelling(value: string, change: (url: URL) => URL): string {
  if (!URL.canParse(value)) return value.toLowerCase()
  const url = change(new URL(value))
  return `${url.protocol}//${url.host}${url.pathname}${url.search}`
}

function channelAddress(url: URL): URL {
  url.host = url.host.replace(/^(?:www|m)\.(?=youtube\.com$)/, '')
  const path = url.pathname.replace(/\/+$/, '').replace(CHANNEL_TAB, '')
  url.pathname = path.startsWith('/@') ? path.toLowerCase() : path
  return url
}
