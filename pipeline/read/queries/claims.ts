import type { ClaimRow, ListedProperty } from '../../model/rows.ts'
import type { SnapshotQueries } from '../query-pool.ts'

export interface ClaimsQuery {
  agent?: string | undefined
  manager?: string | undefined
  publisher?: string | undefined
  /** The place of the last claim of the page before. */
  after?: { publisher_domain: string; claim_id: string } | undefined
  limit: number
}

/** A property that a claim resolves to. Only the publisher's own properties have an identity. */
export type ClaimedProperty = ListedProperty & { property_rid: string | null }

/** A claim and the properties that it resolves to. */
export interface ResolvedClaim extends Omit<ClaimRow, 'claimed_at' | 'changed_at'> {
  claimed_ms: number
  changed_ms: number
  /** `federated`: the publisher's own file says so. `inline`: only the manager's does. */
  path: 'federated' | 'inline'
  properties_total: number
  /** The first of them. */
  properties: ClaimedProperty[]
  /** True if the two files disagree about these properties; null where only one can be asked. */
  diverges: boolean | null
}

/** Properties of a claim that are shown; a claim for all properties may reach thousands. */
const SHOWN_PROPERTIES_MAX = 5

/** Shape of `claims.inline_properties`. */
const INLINE_PROPERTIES_SHAPE = JSON.stringify([
  {
    property_id: 'VARCHAR',
    property_type: 'VARCHAR',
    name: 'VARCHAR',
    identifiers: [{ type: 'VARCHAR', value: 'VARCHAR' }],
    tags: ['VARCHAR'],
  },
])
const FACTS = ['property_id', 'property_type', 'name', 'identifiers', 'tags']
const selectFacts = (row: string) => FACTS.map(name => `${name} := ${row}.${name}`).join(', ')

/**
 * Joins the predicates of claims with the properties of the publishers they name. Where the
 * publisher's own file is known, it alone counts, even if it is revoked, failing, or lists no such
 * property. Where it was never read, the properties of the manager's file count.
 */
const RESOLVED = `
with asked as (
  select * replace (from_json(inline_properties, '${INLINE_PROPERTIES_SHAPE}') as inline_properties)
  from claims where ($agent is null or agent_url = $agent)
    and ($manager is null or manager_domain = $manager)
    and ($publisher is null or publisher_domain = $publisher)
    and ($after_publisher is null
      or (publisher_domain, claim_id::varchar) > ($after_publisher, $after_claim))
  order by publisher_domain, claim_id::varchar limit $limit),
own as (
  select c.claim_id, count(*) as total,
    list(struct_pack(${selectFacts('p')}) order by p.property_id, p.name, p.property_rid) as facts,
    list(struct_pack(property_rid := p.property_rid::varchar, ${selectFacts('p')})
      order by p.property_id, p.name, p.property_rid)[:${SHOWN_PROPERTIES_MAX}] as properties
  from asked c join properties p using (publisher_domain)
  where p.status = 'active' and case c.selection_type
    when 'all' then true
    when 'by_id' then coalesce(list_contains(c.property_ids, p.property_id), false)
    else list_has_any(c.property_tags, p.tags) end
  group by c.claim_id),
found as (
  select c.* exclude (claimed_at, changed_at), epoch_ms(claimed_at)::double as claimed_ms,
    epoch_ms(c.changed_at)::double as changed_ms,
    case when u.domain is null then 'inline' else 'federated' end as path,
    case when u.domain is null then inline_property_count else coalesce(o.total, 0)
      end::double as properties_total,
    case when u.domain is null
      then list_transform(inline_properties[:${SHOWN_PROPERTIES_MAX}],
        lambda one: struct_pack(property_rid := null::varchar, ${selectFacts('one')}))
      else coalesce(o.properties, []) end as properties,
    case when not coalesce(u.valid, false) or inline_property_count = 0
        or coalesce(json_contains(u.catalog->'left_out', '"properties"'), false) then null
      when coalesce(o.total, 0) != inline_property_count then true
      when inline_property_count > len(inline_properties) then null
      else list_sort(o.facts) != list_sort(inline_properties) end as diverges
  from asked c left join own o using (claim_id)
  left join publishers u on u.domain = c.publisher_domain)
select to_json(found)::varchar as claim from found order by publisher_domain, claim_id::varchar`

/**
 * Lists claims with their present properties, by publisher. Qualifiers are reported, not applied.
 */
export async function listResolvedClaims(
  { db }: { db: Pick<SnapshotQueries, 'all'> },
  { agent, manager, publisher, after, limit }: ClaimsQuery,
): Promise<ResolvedClaim[]> {
  const rows = await db.all<{ claim: string }>(RESOLVED, {
    agent: agent ?? null,
    manager: manager ?? null,
    publisher: publisher ?? null,
    after_publisher: after?.publisher_domain ?? null,
    after_claim: after?.claim_id ?? null,
    limit,
  })
  return rows.map(({ claim }) => JSON.parse(claim) as ResolvedClaim)
}
