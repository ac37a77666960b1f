import { HEALTH_CHANGES_MAX } from '../../serving/agent-health-record.ts'
import type { Database } from '../../store/database.ts'

/** An agent that answers is well, whether or not it said anything new. */
const OUTCOME = `case when s.outcome = 'unchanged' then 'ok' else s.outcome end`

/**
 * Records the agents whose probe, among those that the commit in progress applied, ended otherwise than the one
 * before. Call it after `applyObservations`, and only for batches with probes.
 */
export async function recordAgentHealth(db: Database, seq: number): Promise<void> {
  await db.write(
    'insert into',
    'agent_health',
    `by name select s.location, ${OUTCOME} as outcome, s.attempted_at as since, $seq as seq
     from incoming i join located using (seen_id) join crawl_state s on s.rowid = row_id
     left join (
       select location, arg_max(outcome, seq) as outcome from agent_health
       where location in (select location from incoming where kind = 'agent') group by all
     ) known on known.location = s.location
     where s.kind = 'agent' and s.seq = $seq and s.attempted_at = i.at_ms
       and known.outcome is distinct from ${OUTCOME}`,
    { seq },
  )
}

/** Deletes the changes of each agent but the latest, which are all that is served. */
export async function dropOldAgentHealth(db: Database): Promise<void> {
  await db.write(
    'delete from',
    'agent_health',
    `where rowid in (select rowid from agent_health
     qualify row_number() over (partition by location order by seq desc) > ${HEALTH_CHANGES_MAX})`,
  )
}
