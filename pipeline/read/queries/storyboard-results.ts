import { declareCache } from '../cache/caches.ts'
import { SnapshotCache } from '../cache/snapshot-cache.ts'
import type { Snapshot } from '../reader.ts'

/** Agents that passed a storyboard in their last run, and those with a verdict. */
export interface StoryboardCounts {
  storyboard_id: string
  passing: number
  tested: number
}

/** Last result of one agent in a storyboard. */
export interface StoryboardAgent {
  agent_url: string
  status: 'passing' | 'partial' | 'failing'
  steps_passed: number
  steps_total: number
  last_checked_at: string | null
}

/** Agents that one answer names. */
export const RESULT_AGENTS_MAX = 50

/** Last results of agents that members show to everybody; those that could not be judged are left out. */
const RESULTS = `
select agent_url, last_checked_at, s.storyboard_id, s.status, s.steps_passed, s.steps_total
from (select agent_url, last_checked_at, status as agent_status, unnest(from_json(storyboards,
  '[{"storyboard_id":"varchar","status":"varchar","steps_passed":"uinteger","steps_total":"uinteger"}]')) as s
  from agent_standings)
where agent_status != 'opted_out' and s.status in ('passing', 'partial', 'failing')`

const counts = declareCache(() => new SnapshotCache<ReadonlyMap<string, StoryboardCounts>>(1))
const agents = declareCache(() => new SnapshotCache<StoryboardAgent[]>(100))

/** Counts the agents that pass each storyboard, once a snapshot. */
export function countStoryboardAgents(
  snapshot: Snapshot,
): Promise<ReadonlyMap<string, StoryboardCounts>> {
  return counts(snapshot).get('', async () => {
    const rows = await snapshot.db.all<StoryboardCounts>(
      `select storyboard_id, count(*)::double as tested,
         (count(*) filter (where status = 'passing'))::double as passing
       from (${RESULTS}) group by storyboard_id`,
    )
    return new Map(rows.map(row => [row.storyboard_id, row]))
  })
}

/** Lists the agents with a result in a storyboard, those that pass first; the first ones of them. */
export function listStoryboardAgents(
  snapshot: Snapshot,
  storyboard_id: string,
): Promise<StoryboardAgent[]> {
  return agents(snapshot).get(storyboard_id, () =>
    snapshot.db.all<StoryboardAgent>(
      `select agent_url, status, steps_passed, steps_total, last_checked_at from (${RESULTS})
       where storyboard_id = $storyboard_id
       order by status != 'passing', agent_url limit ${RESULT_AGENTS_MAX}`,
      { storyboard_id },
    ),
  )
}
