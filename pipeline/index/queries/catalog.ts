import type { CatalogChange, CatalogEntry, CollectionEntry } from '../../model/answers-catalog.ts'
import { urlOf } from '../../model/observation.ts'
import type { Snapshot } from '../reader.ts'
import { type Page, substring } from './rows.ts'

const ENTRY = `
p.property_rid, p.property_id, p.classification, p.source, p.status,
to_json(p.identifiers) as identifiers, p.publisher_domain, p.property_type, p.name,
to_json(p.tags) as tags, to_json(p.supported_channels) as supported_channels,
(select canonical_rid from aliases where alias_rid = p.property_rid) as canonical_rid,
p.created_at, p.changed_at as updated_at`

const MATCHING = `
from properties p
where ($status = 'all' or p.status = $status)
  and ($classification is null or p.classification = $classification)
  and ($source is null or p.source = $source)
  and ($identifier_type is null
    or list_contains(list_transform(p.identifiers, i -> i.type), $identifier_type))
  and ($active_since is null or p.changed_at >= $active_since::timestamptz)
  and ($search is null or p.name ilike $search escape '\\'
    or p.publisher_domain ilike $search escape '\\'
    or array_to_string(list_transform(p.identifiers, i -> i.value), chr(10))
      ilike $search escape '\\')`

const ENTRIES = `select ${ENTRY} ${MATCHING}
  and ($after is null or p.property_rid > $after::uuid)
order by p.property_rid limit $limit`

const TOTAL = `select count(*) as total ${MATCHING}`

export interface CatalogAsked {
  status: string
  classification?: string | undefined
  source?: string | undefined
  identifier_type?: string | undefined
  active_since?: string | undefined
  search?: string | undefined
  after?: string | undefined
  limit: number
}

/** Properties after a rid, and how many match in all. */
export async function catalogEntries(
  { db }: Snapshot,
  { search, after, limit, ...filters }: CatalogAsked,
): Promise<{ items: CatalogEntry[]; total: number }> {
  const matching = {
    status: filters.status,
    classification: filters.classification ?? null,
    source: filters.source ?? null,
    identifier_type: filters.identifier_type ?? null,
    active_since: filters.active_since ?? null,
    search: substring(search),
  }
  const [rows, count] = await Promise.all([
    db.all<CatalogEntry>(ENTRIES, { ...matching, after: after ?? null, limit }),
    db.one<{ total: number }>(TOTAL, matching),
  ])
  return { items: rows.map(withCanonical), total: count?.total ?? 0 }
}

/** A place among changes: when, and of which record. */
export interface ChangePlace {
  updated_at: string
  property_rid: string
}

const CHANGES = `
select ${ENTRY}, u.resolved_location as adagents_location, u.changed_at as source_updated_at
from properties p left join publishers u on u.domain = p.publisher_domain
where p.classification = 'property' and case
  when $rid is null then p.changed_at > $since::timestamptz
  else (p.changed_at, p.property_rid) > ($since::timestamptz, $rid::uuid) end
order by p.changed_at, p.property_rid limit $limit`

/**
 * Properties that changed after a moment, or after a place among changes, in the order of change. Those
 * that became stale or were merged are among them: nothing else would tell who keeps a copy.
 */
export async function catalogChanges(
  { db }: Snapshot,
  { since, after, limit }: { since: string; after: ChangePlace | undefined; limit: number },
): Promise<CatalogChange[]> {
  type Row = CatalogChange & { adagents_location: string | null }
  const rows = await db.all<Row>(CHANGES, {
    since: after?.updated_at ?? since,
    rid: after?.property_rid ?? null,
    limit,
  })
  return rows.map(({ adagents_location: location, ...row }) => ({
    ...withCanonical(row),
    adagents_url: location === null ? null : urlOf({ kind: 'adagents.json', location }),
    created_by: null,
  }))
}

const COLLECTIONS = `
select collection_rid, publisher_domain, collection_id, name, kind, source, status,
  to_json(identifiers) as identifiers, collection,
  (select canonical_rid from aliases where alias_rid = collection_rid) as canonical_rid,
  created_at, changed_at as updated_at
from collections where ($status is null or status = $status)
order by collection_rid limit $limit offset $offset`

/** Collections by rid, which is the order of their making, with or without those that are gone. */
export async function catalogCollections(
  { db }: Snapshot,
  { status, limit, offset }: Page & { status?: 'active' | undefined },
): Promise<{ items: CollectionEntry[]; total: number }> {
  const [rows, count] = await Promise.all([
    db.all<CollectionEntry>(COLLECTIONS, { status: status ?? null, limit, offset }),
    db.one<{ total: number }>(
      'select count(*) as total from collections where ($status is null or status = $status)',
      { status: status ?? null },
    ),
  ])
  return { items: rows.map(withCanonical), total: count?.total ?? 0 }
}

function withCanonical<Row extends { canonical_rid?: unknown }>(row: Row): Row {
  if (row.canonical_rid !== null) return row
  const { canonical_rid: _, ...rest } = row
  return rest as Row
}
