import type { AuthorizationRow, PropertyRow, PublisherRow } from '../../model/rows.ts'
import { domainLookupOf, propertyResolutionOf, publisherLookupOf } from '../answers.ts'
import type { Database } from '../duckdb.ts'
import type { Scope } from '../scope.ts'
import type { Entry } from '../serving.ts'
import { documentValue } from '../serving-value.ts'

export async function publisherEntries(index: Database, scope: Scope): Promise<Entry[]> {
  const { parameters } = scope
  const publishers = await index.all<PublisherRow>(
    `select * from publishers where domain in ${scope.publishers}`,
    parameters,
  )
  if (publishers.length === 0) return []
  const owned = `where publisher_domain in ${scope.publishers}`
  const properties = grouped(
    await index.all<PropertyRow>(
      `select * from properties ${owned} and status != 'removed' order by status, created_at, property_rid`,
      parameters,
    ),
  )
  const authorizations = grouped(
    await index.all<AuthorizationRow>(
      `select * from authorizations ${owned} and in_force order by entry, id`,
      parameters,
    ),
  )
  return publishers.flatMap(publisher => {
    const key = publisher.domain
    const state = {
      publisher,
      properties: properties.get(key) ?? [],
      authorizations: authorizations.get(key) ?? [],
    }
    return [
      { space: 'property' as const, key, value: documentValue(propertyResolutionOf(state)) },
      { space: 'publisher' as const, key, value: documentValue(publisherLookupOf(state)) },
      { space: 'lookup' as const, key, value: documentValue(domainLookupOf(state)) },
    ]
  })
}

function grouped<Row extends { publisher_domain: string }>(rows: Row[]): Map<string, Row[]> {
  const groups = new Map<string, Row[]>()
  for (const row of rows) {
    const group = groups.get(row.publisher_domain)
    if (group) group.push(row)
    else groups.set(row.publisher_domain, [row])
  }
  return groups
}
