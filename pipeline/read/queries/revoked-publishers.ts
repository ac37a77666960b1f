import type { StoredReach } from '../../serving/inventory-record.ts'
import type { Snapshot } from '../reader.ts'

/**
 * Selects the publishers that a file revoked and for which it names the agent, in an entry without
 * publishers or with this one. Few files revoke publishers, so only these are read.
 */
const REVOKED = `
with gone as (
  select distinct publisher_domain as domain from properties where stale_reason = 'revoked'),
files as (
  select p.domain, p.discovery_method, p.manager_domain, p.resolved_location,
    unnest(from_json(d.document->'$.agents',
      '[{"agent_url":"VARCHAR","publisher_properties":[{"publisher_domains":["VARCHAR"]}]}]')) as agent
  from publishers p semi join gone using (domain)
  join documents d on d.kind = 'adagents.json' and d.location = p.resolved_location)
select distinct domain as publisher_domain, discovery_method, manager_domain,
  0::double as properties_authorized, 0::double as properties_total, false as signing_keys_pinned, null::varchar as authorized_for, []::varchar[] as authorization_types,
  resolved_location as verified_by
from files
where agent.agent_url = $agent and (agent.publisher_properties is null
  or list_contains(flatten(list_transform(agent.publisher_properties, s -> s.publisher_domains)), domain))
order by publisher_domain`

export function listRevokedPublishers(
  { db }: Pick<Snapshot, 'db'>,
  agent: string,
): Promise<StoredReach[]> {
  return db.all<StoredReach>(REVOKED, { agent })
}
