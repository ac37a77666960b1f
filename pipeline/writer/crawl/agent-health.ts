import { HEALTH_CHANGES_MAX } from '../../serving/agent-health-record.ts'
import type { Database } from '../../store/database.ts'
import type { Transition } from './transitions.ts'

const ADD = `(location, outcome, since, seq) select $location, $outcome, $since, $seq
where (select outcome from agent_health where location = $location order by seq desc limit 1)
  is distinct from $outcome`

/** Records the agents whose probe, among these that the commit in progress applied, ended otherwise than the one before. */
export async function recordAgentHealth(
  db: Database,
  probes: readonly Transition[],
  seq: number,
): Promise<void> {
  for (const { after, observation } of probes) {
    const { location, attempted_at: since } = after
    if (since !== observation.observed_at) continue
    // An agent that answers is well, whether or not it said anything new.
    const outcome = after.outcome === 'unchanged' ? 'ok' : after.outcome
    await db.write('insert into', 'agent_health', ADD, { location, outcome, since, seq })
  }
}

/** Deletes the changes of each agent but the latest, which are all that is served. */
export async function dropOldAgentHealth(db: Database): Promise<void> {
  await db.write(
    'delete from',
    'agent_health',
    `where rowid in (select id from (select rowid as id,
       row_number() over (partition by location order by seq desc) as place from agent_health)
     where place > ${HEALTH_CHANGES_MAX})`,
  )
}
