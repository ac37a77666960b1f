import { type Instant, SECOND } from '../../core/clock.ts'
import { INTERVAL_HOURS } from '../../model/compliance.ts'
import type { Sqlite } from '../../store/sqlite.ts'
import { loadKeepers } from '../keepers.ts'

/** An agent whose scheduled run is due. */
export interface DueAgent {
  agent_url: string
  org_id: string
  /** Its credential, encrypted. */
  sealed?: string
}

interface DueOptions {
  now: Instant
  limit: number
  /** Agents that are left out. */
  besides: readonly string[]
  /** Longest time from an enrolment to the first run. */
  firstMs: number
}

/**
 * Lists the agents whose scheduled run is due, the longest waiting first. The first run comes in the second
 * half of its time, at a moment of the agent's own: agents that were enrolled together are not tested together.
 */
export function listAgentsDue(
  db: Sqlite,
  { now, limit, besides, firstMs }: DueOptions,
): DueAgent[] {
  const rows = db.all<{ agent_url: string }>(
    `select agent_url from (
       select agent_url, min(enrolled_at) as enrolled_at from member_agents group by agent_url) a
     left join agent_monitoring m using (agent_url)
     left join agent_compliance c using (agent_url)
     where not coalesce(m.is_opted_out, false) and m.paused_at is null
       and agent_url not in (select value from json_each($besides))
       and (m.requeued_at > coalesce(c.last_checked_at, '')
         or case when c.last_checked_at is null
           then unixepoch(a.enrolled_at, 'subsec')
             + $first * (1 + crc32(agent_url) % 1024 / 1023.0) / 2 <= $now
           else unixepoch(c.last_checked_at, 'subsec')
             + 3600 * coalesce(m.interval_hours, ${INTERVAL_HOURS.usual}) <= $now end)
     order by coalesce(c.last_checked_at, ''), agent_url limit ${limit}`,
    { now: now / SECOND, first: firstMs / SECOND, besides },
  )
  if (rows.length === 0) return []
  const keepers = loadKeepers(
    db,
    rows.map(({ agent_url }) => agent_url),
  )
  const due: DueAgent[] = []
  for (const { agent_url, org_id } of keepers.values()) {
    const sealed = db.one<{ sealed: string }>(
      `select sealed from agent_credentials
       where org_id = $org_id and agent_url = $agent_url and sealed is not null`,
      { org_id, agent_url },
    )?.sealed
    due.push({ agent_url, org_id, ...(sealed !== undefined && { sealed }) })
  }
  return due
}
