import { getRegistrableDomain, stripHostPrefix, toIdentifierHost } from '../core/domain.ts'
import { parseUrl } from '../core/url.ts'
import type { Identifier } from '../model/documents/index.ts'

/** Pages of a YouTube channel that are not its address. */
const CHANNEL_TAB =
  /\/(?:about|channels|community|featured|live|playlists|podcasts|shorts|streams|videos)$/

/** Normal spellings by type of identifier, where a type has only one. */
const spellings = new Map<string, (value: string) => string>([
  ['domain', value => stripHostPrefix(toIdentifierHost(value))],
  ['subdomain', toIdentifierHost],
  ['rss_url', value => spellUrl(value, url => url)],
  ['youtube_channel_handle', value => `@${value.replace(/^@/, '').toLowerCase()}`],
  ['youtube_channel_url', value => spellUrl(value, toChannelAddress)],
])

/**
 * Normalizes an identifier. Addresses keep the case of their path and their query: identifiers that differ
 * in these may be the same (`toIdentifierKey`).
 */
export function normalizeIdentifier({ type, value }: Identifier): Identifier {
  const normalize = spellings.get(type) ?? ((text: string) => text.toLowerCase())
  return { type, value: normalize(value.trim()) }
}

/** Builds the key that identifiers of the same thing share; it distinguishes at most the type. */
export function toIdentifierKey(identifier: Identifier): string {
  return `${identifier.type}:${normalizeIdentifier(identifier).value.toLowerCase()}`
}

/**
 * Lists the keys (`toIdentifierKey`) of declared identifiers that match a requested one: its own, and for a
 * domain the wildcard over each of its parents. A wildcard never covers a public suffix, whose tenants are
 * strangers to each other.
 */
export function listLookupKeys(requested: Identifier): string[] {
  const own = toIdentifierKey(requested)
  if (requested.type !== 'domain') return [own]
  return [
    own,
    ...listParents(toIdentifierHost(requested.value)).map(parent => `domain:*.${parent}`),
  ]
}

/** Tells whether a declared identifier covers the requested one. */
export function matchIdentifier(declared: Identifier, requested: Identifier): boolean {
  return (
    declared.type === requested.type &&
    listLookupKeys(requested).includes(toIdentifierKey(declared))
  )
}

/** Lists the names above a host, down to its registrable domain. */
function listParents(host: string): string[] {
  if (host.startsWith('*.')) return []
  const site = getRegistrableDomain(host)
  const parents: string[] = []
  let name = host
  while (site !== undefined && name !== site) {
    name = name.slice(name.indexOf('.') + 1)
    parents.push(name)
  }
  return parents
}

function spellUrl(value: string, change: (url: URL) => URL): string {
  const parsed = parseUrl(value)
  if (!parsed) return value.toLowerCase()
  const url = change(parsed)
  return `${url.protocol}//${url.host}${url.pathname}${url.search}`
}

function toChannelAddress(url: URL): URL {
  url.host = url.host.replace(/^(?:www|m)\.(?=youtube\.com$)/, '')
  const path = url.pathname.replace(/\/+$/, '').replace(CHANNEL_TAB, '')
  url.pathname = path.startsWith('/@') ? path.toLowerCase() : path
  return url
}
