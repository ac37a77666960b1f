import { type Domain, ownsHost } from '../core/domain.ts'
import type { PropertyEntry } from '../model/documents.ts'
import type { InlineDocument } from './publisher.ts'

/** Properties by the publisher they name; the empty key holds those that name none. */
type ByPublisher = ReadonlyMap<string, PropertyEntry[]>

/** A manager's file is read for thousands of publishers: sorted once, not once for each. */
const sorted = new WeakMap<InlineDocument, ByPublisher>()

/** The properties that a file says are a publisher's, and those of which it does not say whose. */
export function listedFor(document: InlineDocument, domain: Domain): PropertyEntry[] {
  const byPublisher = byPublisherIn(document)
  return [...(byPublisher.get(domain) ?? []), ...(byPublisher.get('') ?? [])]
}

/** The properties that spell this publisher, whoever serves the file. */
export function spelledFor(document: InlineDocument, publisher: string): PropertyEntry[] {
  return byPublisherIn(document).get(publisher) ?? []
}

function byPublisherIn(document: InlineDocument): ByPublisher {
  const known = sorted.get(document)
  if (known) return known
  const byPublisher = new Map<string, PropertyEntry[]>()
  for (const entry of document.properties) {
    const publisher = entry.publisher_domain ?? ''
    const group = byPublisher.get(publisher)
    if (group) group.push(entry)
    else byPublisher.set(publisher, [entry])
  }
  sorted.set(document, byPublisher)
  return byPublisher
}

/** A file speaks for a domain's property only if it names no other owner and no other's names. */
export function isOwn(entry: PropertyEntry, domain: string): boolean {
  if (entry.publisher_domain !== undefined && entry.publisher_domain !== domain) return false
  return hostsOf(entry).every(host => ownsHost(domain, host))
}

/** A property that names nobody is its file's host's, unless it bears names that are not the host's. */
export function isHosts(entry: PropertyEntry, host: string): boolean {
  return entry.publisher_domain === undefined && isOwn(entry, host)
}

export function hostsOf({ identifiers }: Pick<PropertyEntry, 'identifiers'>): string[] {
  return identifiers
    .filter(({ type }) => type === 'domain' || type === 'subdomain')
    .map(({ value }) => value)
}
