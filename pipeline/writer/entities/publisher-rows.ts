import type { Domain } from '../../core/domain.ts'
import type { Change } from '../../diff/diff.ts'
import type { PublisherRows } from '../../diff/publisher-rows.ts'
import type { CollectionRow, PropertyRow, PublisherRow } from '../../model/rows.ts'
import { loadMerges } from '../../store/aliases.ts'
import type { Database } from '../../store/database.ts'
import { loadGrants, toStoredChange } from '../../store/grant-rows.ts'
import { writeChanges } from '../../store/row-writes.ts'
import type { RowChanges } from './publisher-changes.ts'

export function buildEmptyPublisherRows(publisher: PublisherRow | undefined): PublisherRows {
  return { publisher, properties: [], authorizations: [], collections: [] }
}

/**
 * Loads the rows of publishers by domain. A domain without a publisher row may have contributed
 * properties and collections.
 */
export async function loadPublishers(
  db: Database,
  domains: readonly Domain[],
): Promise<Map<string, PublisherRows>> {
  const found = new Map<string, PublisherRows>()
  if (domains.length === 0) return found
  const parameters = { domains: JSON.stringify(domains) }
  const inDomains = `in (select value from json_each($domains))`
  const publishers = await db.all<PublisherRow>(
    `select * from publishers where domain ${inDomains}`,
    parameters,
  )
  const merged = await loadMerges(db, domains)
  for (const publisher of publishers) {
    const merges = merged.get(publisher.domain)
    found.set(publisher.domain, {
      ...buildEmptyPublisherRows(publisher),
      ...(merges && { merges }),
    })
  }
  const owned = `where publisher_domain ${inDomains}`
  const getRows = (domain: string) => {
    const rows = found.get(domain) ?? buildEmptyPublisherRows(undefined)
    found.set(domain, rows)
    return rows
  }
  for (const row of await db.all<PropertyRow>(
    `select * from properties ${owned} order by created_at, property_rid`,
    parameters,
  )) {
    getRows(row.publisher_domain).properties.push(row)
  }
  for (const row of await loadGrants(db, `${owned} order by entry, id`, parameters)) {
    found.get(row.publisher_domain)?.authorizations.push(row)
  }
  for (const row of await db.all<CollectionRow>(
    `select * from collections ${owned} order by created_at, collection_rid`,
    parameters,
  )) {
    getRows(row.publisher_domain).collections.push(row)
  }
  return found
}

/**
 * Writes the changes of a commit. Each row bears its number, also one of an answer that an earlier commit
 * derived and began to take on.
 */
export async function writePublishers(
  db: Database,
  changes: readonly RowChanges[],
  seq: number,
): Promise<void> {
  const stamped = <Row extends { seq: number }>(
    list: (changes: RowChanges) => readonly Change<Row>[],
  ) => changes.flatMap(list).map(change => stampChange(change, seq))
  const grants = stamped(change => change.authorizations)
  const sets = changes.flatMap(change => change.sets)
  await writeChanges(
    db,
    'publishers',
    'domain',
    stamped(change => change.publisher),
  )
  await writeChanges(
    db,
    'properties',
    'property_rid',
    stamped(change => change.properties),
  )
  await writeChanges(db, 'property_sets', 'set_id', sets)
  await writeChanges(db, 'authorizations', 'id', grants.map(toStoredChange))
  await writeChanges(
    db,
    'collections',
    'collection_rid',
    stamped(change => change.collections),
  )
}

function stampChange<Row extends { seq: number }>(change: Change<Row>, seq: number): Change<Row> {
  if (change.kind === 'removed' || change.row.seq === seq) return change
  return { ...change, row: { ...change.row, seq } }
}
