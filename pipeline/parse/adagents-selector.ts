import { type Selector, selectionTypes } from '../model/documents/index.ts'
import { parseShortDomain, readDomain } from './addresses.ts'
import { quote } from './faults.ts'
import type { ObjectReader } from './object-reader.ts'
import { joinAlternatives, SLUG } from './suggestions.ts'

/**
 * Parses a selector of other publishers' properties: all of them, by id, or by tag. Undefined if it does not
 * say whose or which properties. Ids are unique within one publisher only, so `by_id` takes no list of domains.
 */
export function parseSelector(part: ObjectReader): Selector | undefined {
  const type = part.oneOf('selection_type', selectionTypes)
  if (!part.has('selection_type')) {
    part.error('selection_type', 'missing', `is missing: write ${joinAlternatives(selectionTypes)}`)
  }
  const domains = readDomains(part)
  if (type === undefined || domains === undefined) return undefined
  if (type === 'all') return { publisher_domains: domains, selection_type: type }
  if (type === 'by_id' && part.has('publisher_domains')) {
    part.error(
      'publisher_domains',
      'contradictory',
      'cannot go with by_id: write one selector per publisher_domain',
    )
    return undefined
  }
  const key = type === 'by_id' ? 'property_ids' : 'property_tags'
  const names = part.names(key, SLUG) ?? []
  if (names.length === 0) {
    if (!part.isReported(key)) {
      const named = type === 'by_id' ? 'property ID' : 'property tag'
      part.error(key, 'empty', `lists nothing: add at least one ${named} of the publisher`)
    }
    return undefined
  }
  return { publisher_domains: domains, selection_type: type, [key]: names }
}

/** Reads `publisher_domain` or `publisher_domains`, of which exactly one must be given. */
function readDomains(part: ObjectReader): string[] | undefined {
  const isSingle = part.has('publisher_domain')
  if (isSingle === part.has('publisher_domains')) {
    const why = isSingle
      ? 'is given together with publisher_domains'
      : 'and publisher_domains are both missing'
    part.error('publisher_domain', 'contradictory', `${why}: give exactly one of the two`)
    return undefined
  }
  if (!isSingle) return readDomainList(part)
  const domain = readDomain(part, 'publisher_domain')
  return domain === undefined ? undefined : [domain]
}

/** Reads a list of domains, which may be thousands; duplicates are reported once. */
function readDomainList(part: ObjectReader): string[] | undefined {
  const list = part.list('publisher_domains')
  if (list === undefined) return undefined
  const domains = new Set<string>()
  let repeated: string | undefined
  list.forEach((value, i) => {
    const domain = parseShortDomain(value)
    if (domain === undefined) {
      part.error(
        `publisher_domains[${i}]`,
        'bad_domain',
        `is ${quote(value)} but must be a domain name such as acme.example`,
      )
    } else if (domains.has(domain)) repeated = domain
    else domains.add(domain)
  })
  if (repeated !== undefined) {
    part.warn('publisher_domains', 'repeated', `lists ${repeated} more than once`)
  }
  if (domains.size > 0) return [...domains]
  if (list.length > 0) return undefined
  part.error(
    'publisher_domains',
    'empty',
    'is empty: add at least one domain, such as acme.example',
  )
  return undefined
}
