import type { Domain } from '../core/domain.ts'
import { type FacetCount, reachDelta } from '../diff/reach.ts'
import type { Stamp } from '../diff/rows.ts'
import type { SourceKind } from '../model/documents.ts'
import type { Source } from '../model/observation.ts'
import { goneOf, recordChanges } from './changes.ts'
import type { Stirred } from './crawl-state.ts'
import { type Database, listOf } from './duckdb.ts'
import { loadPublishers } from './publisher-rows.ts'
import { notedRevisions } from './revisions.ts'
import { freshnessKey, hostedKey } from './serving-keys.ts'
import { historyKey, revisionKey } from './serving-value.ts'
import { isOf } from './taken-down.ts'

/** What others' answers must be derived again for. */
export interface TakenAway {
  stirred: Stirred[]
  /** Publishers whose rows reached what is gone. */
  publishers: Domain[]
  reached: FacetCount[]
}

/** Columns that say whose a row is. Tables of declarations, and who depends on a file, follow that (`stirred`). */
const OWNERS = ['domain', 'publisher_domain', 'location', 'subject']
const FOLLOWING = ['agent_declarations', 'property_declarations', 'depends_on']

/**
 * Takes the rows of domains out of every table. What others read from their files is derived again
 * in the same commit, as if the files had long ended; there are no events, since an event would have
 * to name the domain. Safe to repeat.
 */
export async function takeAway(
  db: Database,
  domains: readonly Domain[],
  { seq }: Pick<Stamp, 'seq'>,
): Promise<TakenAway> {
  if (domains.length === 0) return { stirred: [], publishers: [], reached: [] }
  const of = { domains: JSON.stringify(domains) }
  const sources = await db.all<Source>(
    `select kind, location from crawl_state where ${isOf('location')} order by kind, location`,
    of,
  )
  const reached = await takePublishers(db, of, seq)
  await recordGone(db, of, seq)
  const publishers = await takeMerged(db, of, seq)
  for (const { table, column } of await ownedColumns(db)) {
    await db.run(`delete from ${table} where ${isOf(column)}`, of)
  }
  // Revisions of the same commit are gone too, and must not be shown.
  notedRevisions.forget(db)
  await db.run(`delete from claims where ${isOf('manager_domain')}`, of)
  await db.run(`delete from depends_on where ${isOf('subject')}`, of)
  return { stirred: sources.map(stirredOf), publishers, reached }
}

function stirredOf({ kind, location }: { kind: SourceKind; location: string }): Stirred {
  return { kind, location, is_new: kind === 'agent', is_own: true, known_until: null }
}

/** What agents reach less, and the keys by which the publishers' properties were found. */
async function takePublishers(
  db: Database,
  of: { domains: string },
  seq: number,
): Promise<FacetCount[]> {
  const rows = await db.all<{ domain: Domain; manager_domain: string | null }>(
    `select domain, manager_domain from publishers where ${isOf('domain')}`,
    of,
  )
  const before = await loadPublishers(
    db,
    rows.map(({ domain }) => domain),
  )
  const nothing = { properties: [], authorizations: [] }
  for (const rowsOfOne of before.values()) {
    await recordChanges(db, seq, { ...goneOf(rowsOfOne, nothing) })
  }
  const managers = rows.flatMap(({ manager_domain }) => manager_domain ?? [])
  await recordChanges(db, seq, { publisher: [...new Set(managers)] })
  return [...before.values()].flatMap(rowsOfOne => reachDelta(rowsOfOne, { ...nothing }))
}

/** Tells the projection which keys of the serving store end. */
async function recordGone(db: Database, of: { domains: string }, seq: number): Promise<void> {
  const names = await db.all<{ name: string }>(
    `select location as name from crawl_state where ${isOf('location')} and not contains(location, '://')
     union select domain from brands where ${isOf('domain')}
     union select domain from entries where ${isOf('domain')}
     union select domain from publishers where ${isOf('domain')}`,
    of,
  )
  const domains = names.map(({ name }) => name)
  const files = await db.all<Source>(
    `select kind, location from crawl_state where ${isOf('location')}
       and (kind = 'agent' or not contains(location, '://'))`,
    of,
  )
  const requests = await db.all<{ id: string }>(
    `select crawl_request_id as id from crawl_requests where ${isOf('domain')}`,
    of,
  )
  const revisions = await db.all<{
    entity: 'brand' | 'property'
    domain: string
    revision_number: number
  }>(`select entity, domain, revision_number from revisions where ${isOf('domain')}`, of)
  const claimed = await db.all<{ publisher_domain: string }>(
    `select distinct publisher_domain from agent_claims where ${isOf('publisher_domain')}`,
    of,
  )
  await recordChanges(db, seq, {
    claim: claimed.map(({ publisher_domain }) => publisher_domain),
    'gone brand': domains,
    'gone property': domains,
    'gone publisher': domains,
    'gone lookup': domains,
    'gone inventory': domains,
    'gone hosted': domains.flatMap(domain => [
      hostedKey('adagents.json', domain),
      hostedKey('brand.json', domain),
    ]),
    'gone freshness': [...new Set(files.map(({ kind, location }) => freshnessKey(kind, location)))],
    'gone crawl_request': requests.map(({ id }) => id),
    'gone revision': [
      ...new Set(revisions.map(row => historyKey(row.entity, row.domain))),
      ...revisions.map(row => revisionKey(row.entity, row.domain, row.revision_number)),
    ],
  })
}

const RECORDS = `(
  select property_rid as rid, publisher_domain from properties
  union all select collection_rid, publisher_domain from collections)`

/** Merges with a record of theirs end; what others had merged into it is known no more. */
async function takeMerged(db: Database, of: { domains: string }, seq: number): Promise<Domain[]> {
  const rids = (
    await db.all<{ rid: string }>(
      `select rid::varchar as rid from ${RECORDS} where ${isOf('publisher_domain')}`,
      of,
    )
  ).map(({ rid }) => rid)
  if (rids.length === 0) return []
  const gone = { rids: JSON.stringify(rids) }
  const isGone = (column: string) => `${column}::varchar in (select unnest(${listOf('$rids')}))`
  const aliases = await db.all<{ rid: string }>(
    `select alias_rid::varchar as rid from aliases
     where ${isGone('alias_rid')} or ${isGone('canonical_rid')}`,
    gone,
  )
  const others = await db.all<{ domain: Domain }>(
    `select publisher_domain as domain from authorizations
     where list_has_any(property_rids::varchar[], ${listOf('$rids')})
     union select publisher_domain from ${RECORDS}
     semi join aliases on alias_rid = rid and (${isGone('alias_rid')} or ${isGone('canonical_rid')})`,
    gone,
  )
  const merged = { rids: JSON.stringify(aliases.map(({ rid }) => rid)) }
  for (const [table, column] of [
    ['properties', 'property_rid'],
    ['collections', 'collection_rid'],
    ['aliases', 'alias_rid'],
  ]) {
    await db.run(`delete from ${table} where ${isGone(column!)}`, merged)
  }
  await recordChanges(db, seq, { 'gone alias': aliases.map(({ rid }) => rid) })
  return others.map(({ domain }) => domain)
}

async function ownedColumns(db: Database): Promise<{ table: string; column: string }[]> {
  return db.all(
    `select table_name as "table", column_name as "column" from duckdb_columns()
     where not internal and database_name = current_database() and schema_name = 'main'
       and column_name in (select unnest(${listOf('$owners')}))
       and table_name not in (select unnest(${listOf('$following')}))
     order by all`,
    { owners: JSON.stringify(OWNERS), following: JSON.stringify(FOLLOWING) },
  )
}
