import type { Domain } from '../core/domain.ts'
import type { PublisherRows } from '../diff/rows.ts'
import type { AuthorizationRow, CollectionRow, PropertyRow, PublisherRow } from '../model/rows.ts'
import { loadMerges } from './aliases.ts'
import { type Database, listOf } from './duckdb.ts'
import type { RowChanges } from './publisher-changes.ts'
import { writeChanges } from './rows.ts'

export function nothingOf(publisher: PublisherRow | undefined): PublisherRows {
  return { publisher, properties: [], authorizations: [], collections: [] }
}

/**
 * The rows of publishers by domain. One without a row of its own may have properties and collections
 * that others told of.
 */
export async function loadPublishers(
  db: Database,
  domains: readonly Domain[],
): Promise<Map<string, PublisherRows>> {
  const found = new Map<string, PublisherRows>()
  if (domains.length === 0) return found
  const of = { domains: JSON.stringify(domains) }
  const inDomains = `in (select unnest(${listOf('$domains')}))`
  const publishers = await db.all<PublisherRow>(
    `select * from publishers where domain ${inDomains}`,
    of,
  )
  const merged = await loadMerges(db, domains)
  for (const publisher of publishers) {
    const merges = merged.get(publisher.domain)
    found.set(publisher.domain, { ...nothingOf(publisher), ...(merges && { merges }) })
  }
  const owned = `where publisher_domain ${inDomains}`
  for (const row of await db.all<PropertyRow>(
    `select * from properties ${owned} order by created_at, property_rid`,
    of,
  )) {
    const rows = found.get(row.publisher_domain) ?? nothingOf(undefined)
    rows.properties.push(row)
    found.set(row.publisher_domain, rows)
  }
  for (const row of await db.all<AuthorizationRow>(
    `select * from authorizations ${owned} order by entry, id`,
    of,
  )) {
    found.get(row.publisher_domain)?.authorizations.push(row)
  }
  for (const row of await db.all<CollectionRow>(
    `select * from collections ${owned} order by created_at, collection_rid`,
    of,
  )) {
    const rows = found.get(row.publisher_domain) ?? nothingOf(undefined)
    rows.collections.push(row)
    found.set(row.publisher_domain, rows)
  }
  return found
}

export async function writePublishers(db: Database, changes: readonly RowChanges[]): Promise<void> {
  await writeChanges(
    db,
    'publishers',
    'domain',
    changes.flatMap(change => change.publisher),
  )
  await writeChanges(
    db,
    'properties',
    'property_rid',
    changes.flatMap(change => change.properties),
  )
  await writeChanges(
    db,
    'authorizations',
    'id',
    changes.flatMap(change => change.authorizations),
  )
  await writeChanges(
    db,
    'collections',
    'collection_rid',
    changes.flatMap(change => change.collections),
  )
}
