import { deriveId } from '../../core/uuid-v7.ts'
import type { Snapshot } from '../reader.ts'

export type ChangedKind = 'brand' | 'publisher' | 'property' | 'grant'

/** A change of the state of a row, by a file that was read or by a save. */
export interface StateChange {
  /** Permanent id of the change. */
  id: string
  kind: ChangedKind
  /** Domain of the publisher or of the brand. */
  domain: string
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
  /** Column with the domain that the row is of. */
  domain: string
  /** Column by which rows are chosen. */
  owner: string
  subject: string
  columns: string
}

const brand: Versions = {
  kind: 'brand',
  table: 'brand_versions',
  key: 'domain',
  domain: 'domain',
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
    domain: 'domain',
    owner: 'domain',
    subject: 'domain',
    columns:
      'valid, discovery_method, manager_domain, resolved_location, agent_count, property_count',
  },
  {
    kind: 'property',
    table: 'property_versions',
    key: 'property_rid',
    domain: 'publisher_domain',
    owner: 'publisher_domain',
    subject: 'name',
    columns: `name, property_type, property_id, status, stale_reason, source, identifiers, tags,
      supported_channels`,
  },
  {
    kind: 'grant',
    table: 'authorization_versions',
    key: 'id',
    domain: 'publisher_domain',
    owner: 'publisher_domain',
    subject: 'agent_url',
    columns: `in_force, authorized_for, authorization_type, publisher_wide, property_count, property_ids,
      property_tags, placement_ids, placement_tags, countries, delegation_type, exclusive,
      effective_from, effective_until`,
  },
]

/** The grants that publishers made to an agent. */
const ofAgent: readonly Versions[] = ofPublisher
  .filter(({ kind }) => kind === 'grant')
  .map(versions => ({ ...versions, owner: 'agent_url' }))

const selectChanges = ({ kind, table, key, domain, owner, subject, columns }: Versions) => `
select '${kind}' as kind, ${domain} as domain, ${key}::varchar as key, ${subject} as subject, valid_from, ended,
  seq, state as after,
  if(begins, null, before) as before
from (
  select *, lag(state) over states as before, coalesce(lag(ended) over states, true) as begins
  from (select *, to_json({${toFields(columns)}})::varchar as state from ${table} where ${owner} = $of)
  window states as (partition by ${key} order by seq))
where begins or ended or state is distinct from before`

function toFields(columns: string): string {
  return columns
    .split(',')
    .map(column => `${column.trim()}: ${column.trim()}`)
    .join(', ')
}

interface Row extends Omit<StateChange, 'id' | 'at' | 'before' | 'after'> {
  key: string
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

/** Lists the changes of all that is known of a domain, its brand and its inventory, the newest first. */
export function listDomainChanges(
  snapshot: Snapshot,
  domain: string,
  page: { limit: number; offset: number },
): Promise<StateChanges> {
  return listChanges(snapshot, [brand, ...ofPublisher], domain, page)
}

/** Lists the changes of the grants to an agent, the newest first. */
export function listAgentChanges(
  snapshot: Snapshot,
  agentUrl: string,
  page: { limit: number; offset: number },
): Promise<StateChanges> {
  return listChanges(snapshot, ofAgent, agentUrl, page)
}

async function listChanges(
  { db }: Snapshot,
  versions: readonly Versions[],
  of: string,
  { limit, offset }: { limit: number; offset: number },
): Promise<StateChanges> {
  const rows = await db.all<Row & { total: number }>(
    `select kind, domain, key, subject, valid_from, ended, before, after, (count(*) over ())::double as total
     from (${versions.map(selectChanges).join(' union all ')})
     order by seq desc, kind desc, subject, valid_from desc limit $limit offset $offset`,
    { of, limit, offset },
  )
  const changes = rows.map(({ valid_from, before, after, kind, domain, key, subject, ended }) => ({
    id: deriveId('change', kind, key, valid_from, String(ended)),
    kind,
    domain,
    subject,
    ended,
    at: valid_from,
    before: before === null ? null : JSON.parse(before),
    after: JSON.parse(after),
  }))
  return { changes, total: rows[0]?.total ?? 0 }
}
