import type { SnapshotQueries } from '../snapshot-queries.ts'
import type { Page } from './rows.ts'

export interface ClaimsAsked extends Page {
  agent?: string | undefined
  manager?: string | undefined
  publisher?: string | undefined
}

/** A property that a claim comes to, and by which way that was found out. */
export interface ClaimedProperty {
  claim_id: string
  agent_url: string
  manager_domain: string
  publisher_domain: string
  /** `federated`: the publisher's own file says so. `inline`: only the manager's does. */
  path: 'federated' | 'inline'
  /** Null of an inline one: only the publisher's own properties have an identity. */
  property_rid: string | null
  property_id: string
}

/**
 * The predicates of claims, applied to the properties of the publishers they name. Where the
 * publisher's own file is known its word counts, even if that is nothing: because it is revoked, or
 * fails, or lists no such property. Where nobody ever read one, what the manager's file lists does.
 */
const CLAIMED = `
with asked as (
  select * from claims where ($agent is null or agent_url = $agent)
    and ($manager is null or manager_domain = $manager)
    and ($publisher is null or publisher_domain = $publisher)),
federated as (
  select c.claim_id, c.agent_url, c.manager_domain, c.publisher_domain, 'federated' as path,
    p.property_rid::varchar as property_rid, coalesce(p.property_id, '') as property_id
  from asked c join properties p using (publisher_domain)
  where p.status = 'active' and case c.selection_type
    when 'all' then true
    when 'by_id' then coalesce(list_contains(c.property_ids, p.property_id), false)
    else list_has_any(c.property_tags, p.tags) end),
inline as (
  select c.claim_id, c.agent_url, c.manager_domain, c.publisher_domain, 'inline' as path,
    null as property_rid, unnest(c.inline_property_ids) as property_id
  from asked c anti join publishers u on u.domain = c.publisher_domain)
select * from federated union all select * from inline
order by publisher_domain, agent_url, claim_id, property_id, property_rid
limit $limit offset $offset`

/** What claims come to now, by publisher. The claims' qualifiers are in the table, not applied. */
export function claimedProperties(
  { db }: { db: Pick<SnapshotQueries, 'all'> },
  { agent, manager, publisher, limit, offset }: ClaimsAsked,
): Promise<ClaimedProperty[]> {
  return db.all<ClaimedProperty>(CLAIMED, {
    agent: agent ?? null,
    manager: manager ?? null,
    publisher: publisher ?? null,
    limit,
    offset,
  })
}
