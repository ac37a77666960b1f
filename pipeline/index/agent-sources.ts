import { type Instant, isoOf } from '../core/clock.ts'
import type { Database } from './duckdb.ts'
import type { TakenDown } from './taken-down.ts'

/** Whose word makes an agent worth probing: the keys of these agents. */
export const namedAgents = [
  'select agent_url from agents',
  'select agent_url from agent_declarations',
  'select agent_url from enrolled_agents',
].join(' union all ')

/** Longer addresses are not probed: they are keys in stores that bound them. */
const ADDRESS_CHARS = 1_000

/** Named agents nobody has probed yet. */
const NEWCOMERS = `
create or replace temp table new_agents as
select agent_url, host from touched_agents
semi join (${namedAgents}) named using (agent_url)
anti join (select location as agent_url from crawl_state where kind = 'agent') known using (agent_url)
where length(agent_url) <= ${ADDRESS_CHARS}`

/** Of one host only so many: others could make us knock at its door without end. */
const ADD = `
insert into crawl_state (kind, location, priority, streak, due_at, requested, seq)
select 'agent', agent_url, 2, 0, $now::timestamptz, false, $seq from new_agents
left join (
  select regexp_extract(location, '^https?://([^/?]+)', 1) as host, count(*) as probed
  from crawl_state where kind = 'agent' and due_at is not null group by host
) known using (host)
qualify row_number() over (partition by host order by agent_url) <= $per_host - coalesce(probed, 0)`

const WAKE = `
update crawl_state s set due_at = $now::timestamptz, seq = $seq
from (select agent_url from touched_agents
      semi join (${namedAgents}) named using (agent_url)) t
where s.kind = 'agent' and s.location = t.agent_url and s.due_at is null`

/** One that was never probed leaves no trace, as if it had come and gone within one batch. */
const FORGET = `
delete from crawl_state s
using (select agent_url from touched_agents
       anti join (${namedAgents}) named using (agent_url)) t
where s.kind = 'agent' and s.location = t.agent_url and s.attempted_at is null`

const REST = `
update crawl_state s set due_at = null, seq = $seq
from (select agent_url from touched_agents
      anti join (${namedAgents}) named using (agent_url)) t
where s.kind = 'agent' and s.location = t.agent_url and s.due_at is not null`

export interface Probing {
  now: Instant
  seq: number
  agentsPerHost: number
  takenDown: TakenDown
}

/**
 * Of the agents that somebody named or named no longer: those that are named now are probed, at once
 * when they are new or back, and the others are not any more.
 */
export async function keepAgentSources(
  db: Database,
  all: readonly string[],
  { now, seq, agentsPerHost, takenDown }: Probing,
): Promise<void> {
  const agents = all.filter(agent => !takenDown.covers(agent))
  if (agents.length === 0) return
  await db.run('create or replace temp table touched_agents (agent_url varchar, host varchar)')
  await db.append(
    'touched_agents',
    [...new Set(agents)].map(agent => [agent, new URL(agent).host]),
  )
  await db.run(NEWCOMERS)
  await db.run(ADD, { now: isoOf(now), seq, per_host: agentsPerHost })
  await db.run(WAKE, { now: isoOf(now), seq })
  await db.run(FORGET)
  await db.run(REST, { seq })
}
