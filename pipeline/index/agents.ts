import { isoOf } from '../core/clock.ts'
import { diff } from '../diff/diff.ts'
import { agentEvents, agentFacts } from '../diff/events.ts'
import type { Stamp } from '../diff/rows.ts'
import type { EventDraft } from '../model/event.ts'
import type { AgentRow } from '../model/rows.ts'
import { type Database, listOf } from './duckdb.ts'
import { deleteRows } from './rows.ts'

const REACH = `
with touched as (select unnest(${listOf('$agents')}) as agent_url),
grants as (select a.* from authorizations a semi join touched using (agent_url)),
reached as (
  select g.agent_url, p.* from (select distinct agent_url, unnest(property_rids) as property_rid from grants) g
  join properties p using (property_rid) where p.status = 'active'),
inventory as (
  select agent_url, count(*) as property_count,
    list_sort(list_distinct(list(property_type))) as property_types,
    list_sort(list_distinct(flatten(list(channels)))) as channels,
    list_sort(list_distinct(flatten(list(tags)))) as tags
  from reached group by agent_url)
select g.agent_url, count(distinct g.publisher_domain) as publisher_count,
  coalesce(any_value(i.property_count), 0) as property_count,
  coalesce(any_value(i.property_types), []) as property_types,
  coalesce(any_value(i.channels), []) as channels,
  coalesce(any_value(i.tags), []) as tags,
  list_sort(list_distinct(flatten(list(coalesce(g.countries, []))))) as markets
from grants g left join inventory i using (agent_url) group by g.agent_url order by g.agent_url`

/** Counts again what agents reach, writes what differs and says what that means. */
export async function updateAgents(
  db: Database,
  agents: readonly string[],
  { now, seq }: Stamp,
): Promise<EventDraft[]> {
  if (agents.length === 0) return []
  const of = { agents: JSON.stringify(agents) }
  const before = await db.all<AgentRow>(
    `select * from agents where agent_url in (select unnest(${listOf('$agents')})) order by agent_url`,
    of,
  )
  const discovered = new Map(before.map(row => [row.agent_url, row.discovered_at]))
  const after = (await db.all<AgentRow>(REACH, of)).map(row => ({
    ...row,
    discovered_at: discovered.get(row.agent_url) ?? isoOf(now),
    changed_at: isoOf(now),
    seq,
  }))
  const changes = diff(before, after, row => row.agent_url, agentFacts)
  const gone = changes.flatMap(change => (change.kind === 'added' ? [] : [change.old.agent_url]))
  await deleteRows(db, 'agents', 'agent_url', gone)
  await db.insert(
    'agents',
    changes.flatMap(change => (change.kind === 'removed' ? [] : [change.row])),
  )
  return changes.flatMap(agentEvents)
}
