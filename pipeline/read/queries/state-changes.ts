import type { Snapshot } from '../reader.ts'

export type ChangedKind = 'brand' | 'publisher' | 'property' | 'grant'

/** A change of the state of a row, by a file that was read or by a save. */
export interface StateChange {
  kind: ChangedKind
  /** Name of what changed, such as that of a property; the address of the agent for a grant. */
  subject: string
  /** Time of the change (ISO 8601). */
  at: string
  /** True if it is gone since then; `after` is its last state. */
  ended: boolean
  /** State before it; null if it was new. */
  before: Readonly<Record<string, unknown>> | null
  after: Readonly<Record<string, unknown>>
}

export interface StateChanges {
  changes: StateChange[]
  total: number
}

interface Versions {
  kind: ChangedKind
  table: string
  key: string
  owner: string
  subject: string
  columns: string
}

const brand: Versions = {
  kind: 'brand',
  table: 'brand_versions',
  key: 'domain',
  owner: 'domain',
  subject: 'brand_name',
  columns: `brand_name, canonical_id, source, brand_id, keller_type, house_domain, house_name,
    claimed_house_domain, parent_brand, relationship_trust, resolved_location`,
}

const ofPublisher: readonly Versions[] = [
  {
    kind: 'publisher',
    table: 'publisher_versions',
    key: 'domain',
    owner: 'domain',
    subject: 'domain',
    columns:
      'valid, discovery_method, manager_domain, resolved_location, agent_count, property_count',
  },
  {
    kind: 'property',
    table: 'property_versions',
    key: 'property_rid',
    owner: 'publisher_domain',
    subject: 'name',
    columns: `name, property_type, property_id, status, stale_reason, source, identifiers, tags,
      supported_channels`,
  },
  {
    kind: 'grant',
    table: 'authorization_versions',
    key: 'id',
    owner: 'publisher_domain',
    subject: 'agent_url',
    columns: `in_force, authorized_for, authorization_type, publisher_wide, property_count, property_ids,
      property_tags, placement_ids, placement_tags, countries, delegation_type, exclusive,
      effective_from, effective_until`,
  },
]

const selectChanges = ({ kind, table, key, owner, subject, columns }: Versions) => `
select '${kind}' as kind, ${subject} as subject, valid_from, ended, seq, state as after,
  if(begins, null, before) as before
from (
  select *, lag(state) over states as before, coalesce(lag(ended) over states, true) as begins
  from (select *, to_json({${toFields(columns)}})::varchar as state from ${table} where ${owner} = $domain)
  window states as (partition by ${key} order by seq))
where begins or ended or state is distinct from before`

function toFields(columns: string): string {
  return columns
    .split(',')
    .map(column => `${column.trim()}: ${column.trim()}`)
    .join(', ')
}

interface Row extends Omit<StateChange, 'at' | 'before' | 'after'> {
  valid_from: string
  before: string | null
  after: string
}

/** Lists the changes of the brand of a domain, the newest first. */
export function listBrandChanges(
  snapshot: Snapshot,
  domain: string,
  page: { limit: number; offset: number },
): Promise<StateChanges> {
  return listChanges(snapshot, [brand], domain, page)
}

/** Lists the changes of a publisher, of its properties and of the grants that it made, the newest first. */
export function listPublisherChanges(
  snapshot: Snapshot,
  domain: string,
  page: { limit: number; offset: number },
): Promise<StateChanges> {
  return listChanges(snapshot, ofPublisher, domain, page)
}

async function listChanges(
  { db }: Snapshot,
  versions: readonly Versions[],
  domain: string,
  { limit, offset }: { limit: number; offset: number },
): Promise<StateChanges> {
  const rows = await db.all<Row & { total: number }>(
    `select kind, subject, valid_from, ended, before, after, (count(*) over ())::double as total
     from (${versions.map(selectChanges).join(' union all ')})
     order by seq desc, kind desc, subject, valid_from desc limit $limit offset $offset`,
    { domain, limit, offset },
  )
  const changes = rows.map(({ valid_from, before, after, kind, subject, ended }) => ({
    kind,
    subject,
    ended,
    at: valid_from,
    before: before === null ? null : JSON.parse(before),
    after: JSON.parse(after),
  }))
  return { changes, total: rows[0]?.total ?? 0 }
}
