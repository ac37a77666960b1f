import { successfulOutcomes } from '../../core/outcomes.ts'
import { getFirst } from '../../core/present.ts'
import type { AgentTypeOrUnknown } from '../../model/documents/index.ts'
import { DEFAULT_KELLER_TYPE, type kellerTypes } from '../../model/documents/vocabulary.ts'
import { declareCache } from '../cache/caches.ts'
import { SnapshotCache } from '../cache/snapshot-cache.ts'
import type { Snapshot } from '../reader.ts'

interface SortOrder {
  column: string
  type: 'varchar' | 'double'
  isDescending?: true
}

/** A list of everything of one kind, which people filter and sort. */
export interface Directory {
  /** Kind of its rows, in the plural. */
  name: string
  /** Query of its rows, each with an `id`. */
  rows: string
  /** Columns of text by which rows are filtered. */
  filters: readonly string[]
  /** Orders by name; the first is the usual one. */
  sorts: Readonly<Record<string, SortOrder>>
}

/** Place of the last row of a page: the value that its order compares, and its id. */
export type DirectoryPosition = readonly [value: string | number, id: string]

interface DirectoryQuery {
  filters: Readonly<Record<string, string | undefined>>
  sort: string | undefined
  after: DirectoryPosition | undefined
  limit: number
}

const byText = (column: string): SortOrder => ({ column, type: 'varchar' })
const byMost = (column: string): SortOrder => ({ column, type: 'double', isDescending: true })

/** Source of a brand as pages name it: its own file, the one to which that points, or somebody else. */
export type BrandSource = 'brand_json' | 'house_file' | 'file_elsewhere' | 'enriched' | 'community'

export interface BrandRow {
  id: string
  name: string
  type: (typeof kellerTypes)[number]
  source: BrandSource
  verified: 'yes' | 'no'
  house_domain: string | null
  house_name: string | null
}

export const brandDirectory: Directory = {
  name: 'brands',
  rows: `
select domain as id, brand_name as name, coalesce(keller_type, '${DEFAULT_KELLER_TYPE}') as type,
  case when source <> 'brand_json' then source::varchar
    when contains(resolved_location, '://') then 'file_elsewhere'
    when resolved_location <> domain and house_name is not null then 'house_file'
    else 'brand_json' end as source,
  if(source = 'brand_json', 'yes', 'no') as verified,
  house_domain, house_name, seq::double as changed from brands`,
  filters: ['type', 'source', 'verified'],
  sorts: { name: byText('name'), changed: byMost('changed') },
}

export interface PublisherRow {
  id: string
  /** `hosted` for a file that members had hosted here, of a domain without one of its own. */
  state: 'valid' | 'invalid' | 'hosted'
  manager_domain: string | null
  agents: number
  properties: number
  changed_at: string
}

export const publisherDirectory: Directory = {
  name: 'publishers',
  rows: `
select domain as id, domain, if(valid, 'valid', 'invalid') as state, discovery_method as type,
  if(agent_count > 0, 'yes', 'no') as sells, manager_domain, agent_count::double as agents,
  property_count::double as properties, changed_at, epoch_ms(changed_at)::double as changed
from publishers
union all
select domain, domain, 'hosted', null, 'no', null, 0,
  coalesce(json_array_length(document, '$.properties'), 0)::double, updated_at,
  epoch_ms(updated_at)::double
from entries
where entity = 'property' and status = 'live' and domain not in (select domain from publishers)`,
  filters: ['type', 'state', 'sells'],
  sorts: {
    domain: byText('domain'),
    agents: byMost('agents'),
    properties: byMost('properties'),
    changed: byMost('changed'),
  },
}

export interface AgentRow {
  id: string
  name: string | null
  type: AgentTypeOrUnknown
  state: 'online' | 'offline' | 'unchecked'
  verified: 'yes' | 'no'
  publishers: number
  properties: number
}

export const agentDirectory: Directory = {
  name: 'agents',
  rows: `
select agent_url as id, agent_url as address, p.name,
  coalesce(p.type, 'unknown') as type,
  case when s.outcome is null then 'unchecked'
    when s.outcome in (${successfulOutcomes.map(name => `'${name}'`).join()}) then 'online'
    else 'offline' end as state,
  if(coalesce(json_array_length(v.badges), 0) > 0, 'yes', 'no') as verified,
  coalesce(a.publisher_count, 0)::double as publishers,
  coalesce(a.property_count, 0)::double as properties,
  coalesce(epoch_ms(a.discovered_at), 0)::double as newest
from (select agent_url from agents union select agent_url from enrolled_agents)
left join agents a using (agent_url) left join agent_profiles p using (agent_url)
left join agent_standings v using (agent_url)
left join crawl_state s on s.kind = 'agent' and s.location = agent_url`,
  filters: ['type', 'state', 'verified'],
  sorts: {
    publishers: byMost('publishers'),
    properties: byMost('properties'),
    address: byText('address'),
    newest: byMost('newest'),
  },
}

/** A part of a directory. */
export interface DirectoryPage<Row> {
  rows: Row[]
  hasMore: boolean
  /** Number of rows before these. */
  skipped: number
  /** Place after which the page before this one begins; undefined where that is the first page, or there is none. */
  previous: DirectoryPosition | undefined
  /** Builds the place from which the directory goes on after a row. */
  toPosition(row: Row): DirectoryPosition
}

const pages = declareCache(() => new SnapshotCache<Record<string, string | number>[]>(200))

/** Lists a part of a directory, and counts what is before it; each is queried once a snapshot. */
export async function listDirectory<Row extends { id: string }>(
  snapshot: Snapshot,
  { rows, filters, sorts }: Directory,
  { filters: wanted, sort, after, limit }: DirectoryQuery,
): Promise<DirectoryPage<Row>> {
  const { column, type, isDescending } = sorts[sort ?? ''] ?? getFirst(Object.values(sorts))
  const conditions = filters.map(name => `($${name}::varchar is null or ${name} = $${name})`)
  const matching = `from (${rows}) where ${conditions.join(' and ')}`
  const value = `$value::${type}`
  const [later, earlier, order, reverse] = isDescending
    ? (['<', '>', 'desc', 'asc'] as const)
    : (['>', '<', 'asc', 'desc'] as const)
  const asked = {
    ...Object.fromEntries(filters.map(name => [name, wanted[name] ?? null])),
    value: after?.[0] ?? null,
    id: after?.[1] ?? null,
    limit: limit + 1,
  }
  const load = (sql: string) =>
    pages(snapshot).get(JSON.stringify([sql, asked]), () => snapshot.db.all(sql, asked))
  const [found, before] = await Promise.all([
    load(`select * ${matching} and ($id::varchar is null
        or (${column} ${later}= ${value} and (${column} ${later} ${value} or id > $id)))
      order by ${column} ${order}, id limit $limit`),
    after === undefined
      ? []
      : // The nearest first: the last of them is the place after which the page before begins.
        load(`with earlier as (select ${column} as value, id ${matching}
          and ${column} ${earlier}= ${value} and (${column} ${earlier} ${value} or id <= $id))
        select *, (select count(*)::double from earlier) as size from earlier
        order by value ${reverse}, id desc limit $limit`),
  ])
  const previous = before[limit]
  return {
    rows: found.slice(0, limit) as unknown as Row[],
    hasMore: found.length > limit,
    skipped: Number(before[0]?.size ?? 0),
    previous: previous && [previous.value ?? '', String(previous.id)],
    toPosition: row => [(row as Record<string, string | number>)[column] ?? '', row.id],
  }
}

/** Number of rows for every choice of values of all filters. */
export type DirectoryCounts = readonly { values: Readonly<Record<string, string>>; size: number }[]

const counts = declareCache(() => new SnapshotCache<DirectoryCounts>(8))

/** Counts the rows of a directory for every choice of filters, once a snapshot. */
export function countDirectory(
  snapshot: Snapshot,
  { rows, filters }: Directory,
): Promise<DirectoryCounts> {
  const columns = filters.join()
  const sql = `select ${columns}, count(*)::double as size from (${rows}) group by ${columns}`
  return counts(snapshot).get(sql, async () => {
    const found = await snapshot.db.all<Record<string, string> & { size: number }>(sql)
    return found.map(({ size, ...values }) => ({ values, size }))
  })
}
