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
    `(location, outcome, since, seq) select s.location, ${OUTCOME}, s.attempted_at, $seq
     from incoming i join crawl_state s on s.rowid = i.row_id
     where s.kind = 'agent' and s.seq = $seq and s.attempted_at = i.at_ms
       and (select outcome from agent_health known where known.location = s.location
         order by seq desc limit 1) is distinct from ${OUTCOME}`,
    { seq },
  )
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
