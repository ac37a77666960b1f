import { toIso } from '../../core/clock.ts'
import {
  type AgentView,
  agentFacts,
  agentViewFacts,
  diffAgent,
  toAgentView,
} from '../../diff/agent-events.ts'
import { diff } from '../../diff/diff.ts'
import type { FacetCount } from '../../diff/reach.ts'
import type { RowStamp } from '../../diff/stamp.ts'
import type { EventDraft } from '../../model/event.ts'
import type { AgentRow } from '../../model/rows.ts'
import type { Database } from '../../store/database.ts'
import { deleteRows } from '../../store/row-writes.ts'
import { loadProfiles, type Profiles, updateProfiles } from './agent-profiles.ts'
import { addMergedReach } from './merged-reach.ts'

const COUNTED = 'agent_url text, facet text, value text, times integer'

const ADD_UP = `
select agent_url, facet, value, sum(times) from (
  select agent_url, facet, value, times from agent_facets
  where agent_url in (select agent_url from reached)
  union all select agent_url, facet, value, times from reached)
group by agent_url, facet, value having sum(times) > 0`

const values = (facet: string) =>
  `json_group_array(distinct value order by value) filter (where facet = '${facet}') as "${plural[facet]} [json]"`

/** Columns of the lists of values. */
const plural: Readonly<Record<string, string>> = {
  property_type: 'property_types',
  channel: 'channels',
  tag: 'tags',
  market: 'markets',
  declared_channel: 'declared_channels',
  implied_channel: 'implied_channels',
  category: 'categories',
}

/** Channels that more properties have than publishers name them for. */
const IMPLIED = `
select agent_url, 'implied_channel' as facet, value, 0 as times from (
  select agent_url, value, coalesce(sum(times) filter (where facet = 'channel'), 0)
    - coalesce(sum(times) filter (where facet = 'declared_channel'), 0) as implied
  from counted where facet in ('channel', 'declared_channel') group by agent_url, value)
where implied > 0`

const SUMMED = `
select agent_url,
  coalesce(sum(times) filter (where facet = 'publisher'), 0) as publisher_count,
  coalesce(sum(times) filter (where facet = 'property'), 0) as property_count,
  ${Object.keys(plural).map(values).join(', ')},
  case when count(distinct value) filter (where facet = 'taxonomy') = 1
    then nullif(max(value) filter (where facet = 'taxonomy'), '') end as category_taxonomy
from (select * from counted union all ${IMPLIED}) group by agent_url order by agent_url`

/** Publishers that no longer name an agent since this commit, by agent. */
export type Leavings = ReadonlyMap<string, readonly string[]>

export interface AgentChanges {
  events: EventDraft[]
  /** Agents that joined the graph or left it. */
  joinedOrLeft: string[]
  /** Agents whose profile is another one now. */
  profiles: string[]
}

/**
 * Updates the reach of agents and the profiles of those that were probed or redeclared, and returns
 * the events of the differences. Only agents of the graph have events; those of removed ones name the
 * publishers that they have left.
 */
export async function updateAgents(
  db: Database,
  reached: readonly FacetCount[],
  redeclared: readonly string[],
  left: Leavings,
  stamp: RowStamp,
): Promise<AgentChanges> {
  const agents = [...new Set([...reached.map(row => row.agent_url), ...redeclared])].sort()
  if (agents.length === 0) return { events: [], joinedOrLeft: [], profiles: [] }
  const before = await loadRows(db, agents)
  const profilesBefore = await loadProfiles(db, agents)
  const counted = await updateReach(db, reached, before, stamp)
  const profiles = await updateProfiles(db, [...new Set(redeclared)], stamp)
  const changed = new Set(profiles)
  // A removed agent is in neither of them.
  const profilesAfter = new Map([
    ...[...profilesBefore].filter(([agent]) => !changed.has(agent)),
    ...(await loadProfiles(db, profiles)),
  ])
  const isCounted = new Set(reached.map(row => row.agent_url))
  const after = [...counted, ...before.filter(row => !isCounted.has(row.agent_url))]
  const changes = diff(
    toViews(before, profilesBefore),
    toViews(after, profilesAfter),
    row => row.agent_url,
    agentViewFacts,
  )
  return {
    events: changes.flatMap(change =>
      diffAgent(change, change.kind === 'removed' ? left.get(change.old.agent_url) : undefined),
    ),
    joinedOrLeft: changes.flatMap(change => {
      if (change.kind === 'changed') return []
      return [(change.kind === 'added' ? change.row : change.old).agent_url]
    }),
    profiles,
  }
}

function toViews(rows: readonly AgentRow[], profiles: Profiles): AgentView[] {
  return rows.map(row => toAgentView(row, profiles.get(row.agent_url)))
}

function loadRows(db: Database, agents: readonly string[]): Promise<AgentRow[]> {
  return db.all<AgentRow>(
    `select * from agents where agent_url in (select value from json_each($agents)) order by agent_url`,
    { agents: JSON.stringify(agents) },
  )
}

/** Updates the rows of all reached agents; only those that differ are written. */
async function updateReach(
  db: Database,
  reached: readonly FacetCount[],
  known: readonly AgentRow[],
  { now, seq }: RowStamp,
): Promise<AgentRow[]> {
  if (reached.length === 0) return []
  await updateFacetCounts(db, reached)
  await addMergedReach(db)
  const isReached = new Set(reached.map(row => row.agent_url))
  const before = known.filter(row => isReached.has(row.agent_url))
  const discovered = new Map(before.map(row => [row.agent_url, row.discovered_at]))
  const after = (await db.all<AgentRow>(SUMMED)).map(row => ({
    ...row,
    discovered_at: discovered.get(row.agent_url) ?? toIso(now),
    changed_at: toIso(now),
    seq,
  }))
  const changes = diff(before, after, row => row.agent_url, agentFacts)
  const gone = changes.flatMap(change => (change.kind === 'added' ? [] : [change.old.agent_url]))
  await deleteRows(db, 'agents', 'agent_url', gone)
  await db.insert(
    'agents',
    changes.flatMap(change => (change.kind === 'removed' ? [] : [change.row])),
  )
  return after
}

/** Leaves the new counts of these agents in agent_facets, and in the temporary table `counted`. */
async function updateFacetCounts(db: Database, reached: readonly FacetCount[]): Promise<void> {
  await db.stage(
    'reached',
    COUNTED,
    reached.map(({ agent_url, facet, value, times }) => [agent_url, facet, value, times]),
  )
  await db.stageQuery('counted', COUNTED, ADD_UP)
  await db.write(
    'delete from',
    'agent_facets',
    'where agent_url in (select agent_url from reached)',
  )
  await db.write(
    'insert into',
    'agent_facets',
    'select agent_url, facet, value, times from counted',
  )
}
