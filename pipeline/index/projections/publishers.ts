import { groupBy } from '../../core/group.ts'
import type { AuthorizationRow, BrandRow, PropertyRow, PublisherRow } from '../../model/rows.ts'
import {
  domainLookupOf,
  propertyResolutionOf,
  publisherLookupOf,
  type Surroundings,
} from '../answers.ts'
import type { Database } from '../duckdb.ts'
import type { Scope } from '../scope.ts'
import type { Entry } from '../serving.ts'
import { documentValue } from '../serving-value.ts'
import { authorityEntries } from './authority.ts'

export async function publisherEntries(index: Database, scope: Scope): Promise<Entry[]> {
  const { parameters, at } = scope
  const publishers = await index.all<PublisherRow>(
    `select * from publishers where domain in ${scope.publishers}`,
    parameters,
  )
  if (publishers.length === 0) return []
  const owned = `where publisher_domain in ${scope.publishers}`
  const properties = groupBy(
    await index.all<PropertyRow>(
      `select * from properties ${owned} and status != 'removed' order by status, created_at, property_rid`,
      parameters,
    ),
    row => row.publisher_domain,
  )
  const authorizations = groupBy(
    await index.all<AuthorizationRow>(
      `select * from authorizations ${owned} order by entry, id`,
      parameters,
    ),
    row => row.publisher_domain,
  )
  const brands = new Map(
    (
      await index.all<BrandRow>(
        `select * from brands where domain in ${scope.publishers}`,
        parameters,
      )
    ).map(row => [row.domain, row]),
  )
  const networks = await networksOf(index, scope)
  return publishers.flatMap(publisher => {
    const key = publisher.domain
    const grants = authorizations.get(key) ?? []
    const rows = {
      publisher,
      properties: properties.get(key) ?? [],
      authorizations: grants,
    }
    const state = { ...rows, authorizations: grants.filter(row => row.in_force) }
    const around = { brand: brands.get(key), network: networks.get(key) }
    return [
      { space: 'property' as const, key, value: documentValue(propertyResolutionOf(state), at) },
      {
        space: 'publisher' as const,
        key,
        value: documentValue(publisherLookupOf(state, around), at),
      },
      { space: 'lookup' as const, key, value: documentValue(domainLookupOf(state), at) },
      ...authorityEntries(rows, at),
    ]
  })
}

/** How many publishers read their file at each of these domains. */
async function networksOf(
  index: Database,
  { publishers, parameters }: Scope,
): Promise<Map<string, NonNullable<Surroundings['network']>>> {
  const rows = await index.all<{ manager: string; publisher_count: number; valid_count: number }>(
    `select manager_domain as manager, count(*)::double as publisher_count,
       count(*) filter (valid)::double as valid_count
     from publishers where manager_domain in ${publishers} group by all`,
    parameters,
  )
  return new Map(rows.map(({ manager, ...network }) => [manager, network]))
}
