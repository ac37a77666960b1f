import { getFirst, getLast } from '../../core/present.ts'
import { toUrl } from '../../model/observation.ts'
import type { CatalogChange, CatalogEntry, CollectionEntry } from '../../model/responses/catalog.ts'
import type { Parameters } from '../../store/columnar/duckdb-values.ts'
import type { Snapshot } from '../reader.ts'
import { countOnce } from './counts.ts'
import { type Page, toLikePattern } from './page.ts'

const ENTRY = `
p.property_rid, p.property_id, p.classification, p.source, p.status,
to_json(p.identifiers) as identifiers, p.publisher_domain, p.property_type, p.name,
to_json(p.tags) as tags, to_json(p.supported_channels) as supported_channels,
p.inline_only, a.canonical_rid, p.created_at, p.changed_at as updated_at`

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

const PAGE = `select p.property_rid::varchar as rid ${MATCHING}
  and ($after is null or p.property_rid > $after::uuid)
order by p.property_rid limit $limit`

/** Joins a page that is known by its rids; the bounds keep DuckDB from reading beyond them. */
const OF_PAGE = `from properties p left join aliases a on a.alias_rid = p.property_rid
  left join publishers u on u.domain = p.publisher_domain
where p.property_rid between $first::uuid and $last::uuid
  and p.property_rid in (select unnest(from_json($rids::varchar, '["UUID"]')))`

const ENTRIES = `select ${ENTRY} ${OF_PAGE} order by p.property_rid`

const TOTAL = `select count(*) as total ${MATCHING}`

export interface CatalogQuery {
  status: string
  classification?: string | undefined
  source?: string | undefined
  identifier_type?: string | undefined
  active_since?: string | undefined
  search?: string | undefined
  after?: string | undefined
  limit: number
}

/** Lists properties after a rid, and the number of all that match. */
export async function listCatalogEntries(
  snapshot: Snapshot,
  { search, after, limit, ...filters }: CatalogQuery,
): Promise<{ items: CatalogEntry[]; total: number }> {
  const matching = {
    status: filters.status,
    classification: filters.classification ?? null,
    source: filters.source ?? null,
    identifier_type: filters.identifier_type ?? null,
    active_since: filters.active_since ?? null,
    search: toLikePattern(search),
  }
  const [items, total] = await Promise.all([
    loadPage<CatalogEntry>(snapshot, ENTRIES, PAGE, { ...matching, after: after ?? null, limit }),
    countOnce(snapshot, TOTAL, matching),
  ])
  return { items: items.map(withCanonical), total }
}

/** Loads a page by two queries: which rows, of few columns, and then all columns of these. */
async function loadPage<Row>({ db }: Snapshot, rows: string, page: string, parameters: Parameters) {
  const rids = (await db.all<{ rid: string }>(page, parameters)).map(({ rid }) => rid)
  if (rids.length === 0) return []
  const sorted = [...rids].sort()
  return db.all<Row>(rows, {
    first: getFirst(sorted),
    last: getLast(sorted),
    rids: JSON.stringify(rids),
  })
}

/** A position among changes: the time, and the record that changed. */
export interface ChangePosition {
  updated_at: string
  property_rid: string
}

const CHANGED = `select p.property_rid::varchar as rid from properties p
where p.classification = 'property' and case
  when $rid is null then p.changed_at > $since::timestamptz
  else (p.changed_at, p.property_rid) > ($since::timestamptz, $rid::uuid) end
order by p.changed_at, p.property_rid limit $limit`

const CHANGES = `
select ${ENTRY}, u.resolved_location as adagents_location, u.changed_at as source_updated_at
${OF_PAGE} order by p.changed_at, p.property_rid`

/**
 * Lists properties that changed after an instant, or after a position among changes, in the order of
 * change. Stale and merged ones are included, since a replica could not learn of them otherwise.
 */
export async function listCatalogChanges(
  snapshot: Snapshot,
  { since, after, limit }: { since: string; after: ChangePosition | undefined; limit: number },
): Promise<CatalogChange[]> {
  type Row = CatalogChange & { adagents_location: string | null }
  const rows = await loadPage<Row>(snapshot, CHANGES, CHANGED, {
    since: after?.updated_at ?? since,
    rid: after?.property_rid ?? null,
    limit,
  })
  return rows.map(({ adagents_location: location, ...row }) => ({
    ...withCanonical(row),
    adagents_url: location === null ? null : toUrl({ kind: 'adagents.json', location }),
    created_by: null,
  }))
}

/** Selects the rids of a page first, and then all columns of these. */
const COLLECTIONS = `
with page as (select collection_rid from collections where ($status is null or status = $status)
  order by collection_rid limit $limit offset $offset)
select c.collection_rid, c.publisher_domain, c.collection_id, c.name, c.kind, c.source, c.status,
  to_json(c.identifiers) as identifiers, c.collection, a.canonical_rid, c.created_at,
  c.changed_at as updated_at
from collections c semi join page on c.collection_rid = page.collection_rid
  left join aliases a on a.alias_rid = c.collection_rid
order by c.collection_rid`

const COLLECTIONS_TOTAL =
  'select count(*) as total from collections where ($status is null or status = $status)'

/** Finds collections by rid, which is the order of their creation, with or without removed ones. */
export async function findCatalogCollections(
  snapshot: Snapshot,
  { status, limit, offset }: Page & { status?: 'active' | undefined },
): Promise<{ items: CollectionEntry[]; total: number }> {
  const filter = { status: status ?? null }
  const [rows, total] = await Promise.all([
    snapshot.db.all<CollectionEntry>(COLLECTIONS, { ...filter, limit, offset }),
    countOnce(snapshot, COLLECTIONS_TOTAL, filter),
  ])
  return { items: rows.map(withCanonical), total }
}

/** Leaves out optional members that are null. */
function withCanonical<Row extends { canonical_rid?: unknown; inline_only?: unknown }>(
  row: Row,
): Row {
  const { canonical_rid, inline_only, ...rest } = row
  return {
    ...rest,
    ...(inline_only === true && { inline_only }),
    ...(canonical_rid !== null && canonical_rid !== undefined && { canonical_rid }),
  } as Row
}
