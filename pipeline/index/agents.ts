import { isoOf } from '../core/clock.ts'
import { diff } from '../diff/diff.ts'
import { agentEvents, agentFacts } from '../diff/events.ts'
import type { FacetCount } from '../diff/reach.ts'
import type { Stamp } from '../diff/rows.ts'
import type { EventDraft } from '../model/event.ts'
import type { AgentRow } from '../model/rows.ts'
import { type Database, listOf } from './duckdb.ts'
import { deleteRows } from './rows.ts'

const ADD_UP = `
create or replace temp table counted as
select agent_url, facet, value, sum(times)::bigint as times from (
  select agent_url, facet, value, times::bigint as times from agent_facets
  semi join (select distinct agent_url from reached) using (agent_url)
  union all select agent_url, facet, value, times::bigint from reached)
group by all having sum(times) > 0`

const values = (facet: string) =>
  `coalesce(list(value order by value) filter (facet = '${facet}'), [])`

const SUMMED = `
select agent_url,
  coalesce(sum(times) filter (facet = 'publisher'), 0)::double as publisher_count,
  coalesce(sum(times) filter (facet = 'property'), 0)::double as property_count,
  ${values('property_type')} as property_types, ${values('channel')} as channels,
  ${values('tag')} as tags, ${values('market')} as markets
from counted group by agent_url order by agent_url`

/** Adds to what agents reach, writes what differs and says what that means. */
export async function updateAgents(
  db: Database,
  reached: readonly FacetCount[],
  { now, seq }: Stamp,
): Promise<EventDraft[]> {
  if (reached.length === 0) return []
  const agents = { agents: JSON.stringify([...new Set(reached.map(row => row.agent_url))]) }
  await countAgain(db, reached)
  const before = await db.all<AgentRow>(
    `select * from agents where agent_url in (select unnest(${listOf('$agents')})) order by agent_url`,
    agents,
  )
  const discovered = new Map(before.map(row => [row.agent_url, row.discovered_at]))
  const after = (await db.all<AgentRow>(SUMMED)).map(row => ({
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

/** Leaves the new counts of these agents in agent_facets, and in the temporary table `counted`. */
async function countAgain(db: Database, reached: readonly FacetCount[]): Promise<void> {
  await db.run(
    'create or replace temp table reached (agent_url varchar, facet varchar, value varchar, times double)',
  )
  await db.append(
    'reached',
    reached.map(({ agent_url, facet, value, times }) => [agent_url, facet, value, times]),
  )
  await db.run(ADD_UP)
  await db.run(
    'delete from agent_facets f using (select distinct agent_url from reached) r where f.agent_url = r.agent_url',
  )
  await db.run('insert into agent_facets select agent_url, facet, value, times from counted')
}
