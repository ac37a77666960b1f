import { type Domain, mayDeclareHost } from '../core/domain.ts'
import { hostTypes, type PropertyEntry } from '../model/documents/index.ts'
import type { AdagentsInlineDocument } from './grant.ts'

/** Properties by the publisher they name; the empty key holds those that name none. */
type ByPublisher = ReadonlyMap<string, PropertyEntry[]>

/** Properties of a manager's file by publisher, cached since the file is used for thousands of publishers. */
const groupsByDocument = new WeakMap<AdagentsInlineDocument, ByPublisher>()

/** Lists the properties that a file says are a publisher's, and those that name no publisher. */
export function listPropertiesFor(
  document: AdagentsInlineDocument,
  domain: Domain,
): PropertyEntry[] {
  const byPublisher = groupByPublisher(document)
  return [...(byPublisher.get(domain) ?? []), ...(byPublisher.get('') ?? [])]
}

/** Lists the properties that name this publisher, in a file at any address. */
export function listPropertiesDeclaringOwner(
  document: AdagentsInlineDocument,
  publisher: string,
): PropertyEntry[] {
  return groupByPublisher(document).get(publisher) ?? []
}

function groupByPublisher(document: AdagentsInlineDocument): ByPublisher {
  const known = groupsByDocument.get(document)
  if (known) return known
  const byPublisher = new Map<string, PropertyEntry[]>()
  for (const entry of document.properties) {
    const publisher = entry.publisher_domain ?? ''
    const group = byPublisher.get(publisher)
    if (group) group.push(entry)
    else byPublisher.set(publisher, [entry])
  }
  groupsByDocument.set(document, byPublisher)
  return byPublisher
}

/**
 * Tells whether a property belongs to a domain: it names no other publisher, and all hosts among its
 * identifiers are the domain's own.
 */
export function isOwn(
  entry: Pick<PropertyEntry, 'identifiers' | 'publisher_domain'>,
  domain: string,
): boolean {
  if (entry.publisher_domain !== undefined && entry.publisher_domain !== domain) return false
  return listHosts(entry).every(host => mayDeclareHost(domain, host))
}

/** Tells whether a property belongs to the host of its file: it is the host's own, and names no publisher. */
export function isOwnedByHost(entry: PropertyEntry, host: string): boolean {
  return entry.publisher_domain === undefined && isOwn(entry, host)
}

/** Lists the hosts among the identifiers of a property, as written. */
export function listHosts({ identifiers }: Pick<PropertyEntry, 'identifiers'>): string[] {
  return identifiers.filter(({ type }) => hostTypes.has(type)).map(({ value }) => value)
}
