import { isoOf } from '../../core/clock.ts'
import { authorizationPayload } from '../../diff/authorization-events.ts'
import type { AuthorizationItem } from '../../model/answers-authorizations.ts'
import type { AuthorizationRow } from '../../model/rows.ts'
import type { Snapshot } from '../reader.ts'
import { countOnce } from './counts.ts'

/** A place in the order of an agent's grants: by publisher, then by property, then by id. */
export interface GrantPlace {
  publisher_domain: string
  property_id_slug: string | null
  id: string
}

/** A grant as JSON text: reading that costs a third of reading as many columns. */
interface Grant {
  facts: string
  property_id_slug: string | null
}

type GrantFacts = Omit<AuthorizationRow, 'property_rids'> & {
  reached: number
  property_rid: string | null
  granted_ms: number
  changed_ms: number
}

const GRANTS = `
select g.publisher_domain, g.id, p.property_id as property_id_slug, to_json(g)::varchar as facts
from (select * exclude (property_rids), len(property_rids)::double as reached,
    case when len(property_rids) = 1 then property_rids[1] end as property_rid,
    epoch_ms(granted_at)::double as granted_ms, epoch_ms(changed_at)::double as changed_ms
  from authorizations where in_force) g
left join properties p on p.property_rid = g.property_rid`

const OF_AGENT = `
select * from (${GRANTS} where g.agent_url = $agent)
where $publisher is null or (publisher_domain, property_id_slug is null,
  coalesce(property_id_slug, ''), id::varchar) > ($publisher, $slug is null, coalesce($slug, ''), $id)
order by publisher_domain, property_id_slug nulls last, id::varchar limit $limit`

const OF_AGENT_TOTAL =
  'select count(*) as total from authorizations where in_force and agent_url = $agent'

/** The agent that an address names: the very one, else one that differs in case alone. */
export async function agentNamed({ db }: Snapshot, key: string): Promise<string> {
  const row = await db.one<{ agent_url: string }>(
    `select agent_url from agents where lower(agent_url) = lower($key)
     order by agent_url != $key, agent_url limit 1`,
    { key },
  )
  return row?.agent_url ?? key
}

/** What an agent was granted, after a place, and how much it is in all. */
export async function grantsOf(
  snapshot: Snapshot,
  { agent, after, limit }: { agent: string; after: GrantPlace | undefined; limit: number },
): Promise<{ items: AuthorizationItem[]; total: number }> {
  const [rows, total] = await Promise.all([
    snapshot.db.all<Grant>(OF_AGENT, {
      agent,
      publisher: after?.publisher_domain ?? null,
      slug: after?.property_id_slug ?? null,
      id: after?.id ?? null,
      limit,
    }),
    countOnce(snapshot, OF_AGENT_TOTAL, { agent }),
  ])
  return { items: rows.map(itemOf), total }
}

/** Every grant in force, some at a time. */
export async function* allGrants({ db }: Snapshot): AsyncGenerator<AuthorizationItem[]> {
  for await (const rows of db.stream<Grant>(GRANTS)) yield rows.map(itemOf)
}

function itemOf({ facts, property_id_slug }: Grant): AuthorizationItem {
  const { reached, property_rid, granted_ms, changed_ms, ...row } = JSON.parse(facts) as GrantFacts
  const times = { granted_at: isoOf(granted_ms), changed_at: isoOf(changed_ms) }
  return {
    authorized_for: null,
    signing_keys: null,
    ...authorizationPayload({ ...row, ...times }, reached),
    property_rid,
    property_id_slug,
    disputed: false,
    created_by: null,
    expires_at: row.effective_until,
    override_applied: false,
    override_reason: null,
  } as AuthorizationItem
}
