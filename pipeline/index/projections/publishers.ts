import { groupBy } from '../../core/group.ts'
import type { AuthorizationRow, PropertyRow, PublisherRow } from '../../model/rows.ts'
import { domainLookupOf, propertyResolutionOf, publisherLookupOf } from '../answers.ts'
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
  return publishers.flatMap(publisher => {
    const key = publisher.domain
    const grants = authorizations.get(key) ?? []
    const rows = {
      publisher,
      properties: properties.get(key) ?? [],
      authorizations: grants,
    }
    const state = { ...rows, authorizations: grants.filter(row => row.in_force) }
    return [
      { space: 'property' as const, key, value: documentValue(propertyResolutionOf(state), at) },
      { space: 'publisher' as const, key, value: documentValue(publisherLookupOf(state), at) },
      { space: 'lookup' as const, key, value: documentValue(domainLookupOf(state), at) },
      ...authorityEntries(rows, at),
    ]
  })
}
