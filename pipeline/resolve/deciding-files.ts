import type { Source } from '../model/observation.ts'
import type { BrandRow, PublisherRow } from '../model/rows.ts'

type Publishing = Pick<
  PublisherRow,
  'domain' | 'discovery_method' | 'manager_domain' | 'resolved_location'
>

/**
 * Lists the files that decide the answers about a publisher, its own first and the last read file
 * last. For a publisher whose ads.txt names a manager, the ads.txt comes first.
 */
export function listPublisherFiles(publisher: Publishing): Source[] {
  const { domain, discovery_method, manager_domain, resolved_location } = publisher
  if (discovery_method !== 'ads_txt_managerdomain') {
    return listDistinct('adagents.json', [domain, resolved_location])
  }
  const managed = listDistinct('adagents.json', [
    manager_domain ?? resolved_location,
    resolved_location,
  ])
  return [{ kind: 'ads.txt', location: domain }, ...managed]
}

type Branded = Pick<BrandRow, 'domain' | 'house_domain' | 'resolved_location'>

/** Lists the brand.json files that decide which brand a domain is: its own, its house's, the one read. */
export function listBrandFiles({ domain, house_domain, resolved_location }: Branded): Source[] {
  return listDistinct('brand.json', [domain, house_domain ?? domain, resolved_location ?? domain])
}

function listDistinct(kind: Source['kind'], locations: readonly string[]): Source[] {
  return [...new Set(locations)].map(location => ({ kind, location }))
}
