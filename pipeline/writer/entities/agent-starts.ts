import { HOUR, type Instant, toIso } from '../../core/clock.ts'
import type { WindowCounter } from '../../core/window-counter.ts'
import type { Database } from '../../store/database.ts'
import { findVouched, VOUCHED_WEIGHT } from '../crawl/mentions.ts'

export interface ProbeStartContext {
  now: Instant
  /** New agents per hour and document that are probed; more if its domain is vouched for. */
  agentsPerDocumentHour: number
  /** Counts of what documents added in this hour. */
  newNames: WindowCounter
}

/**
 * SQL for the first document that names each new agent, in order. Agents that a member enrolled are left out.
 */
const NAMED_BY = `
select agent_url, min(document) as document from (
  select agent_url, publisher_domain as document from authorizations
  union all select unnest(listed_agents), domain from publishers where json_array_length(listed_agents) > 0
  union all select agent_url, location from agent_declarations) named
semi join new_agents using (agent_url)
anti join enrolled_agents using (agent_url)
group by agent_url order by document, agent_url`

/**
 * Plans the first probe of each agent in the temporary table `new_agents`: a limited number per document and
 * hour, the rest in later hours. A file may name agents on many sites, so limits per site would not bound it.
 */
export async function planStarts(
  db: Database,
  { now, ...limits }: ProbeStartContext,
): Promise<void> {
  const rows = await db.all<{ agent_url: string; document: string }>(NAMED_BY)
  if (rows.length === 0) return
  const vouched = await findVouched(
    db,
    rows.map(({ document }) => document),
  )
  const delayedByDocument = new Map<string, number>()
  const delayed = rows.flatMap(({ agent_url, document }): [string, string][] => {
    const max = limits.agentsPerDocumentHour * (vouched.has(document) ? VOUCHED_WEIGHT : 1)
    if (limits.newNames.take(`agents of ${document}`, max, now)) return []
    const count = delayedByDocument.get(document) ?? 0
    delayedByDocument.set(document, count + 1)
    return [[agent_url, toIso(now + HOUR * (1 + Math.floor(count / Math.max(1, max))))]]
  })
  if (delayed.length === 0) return
  await db.runTemporary(
    'create or replace temp table delayed_agents (agent_url varchar, starts_at timestamptz)',
  )
  await db.append('delayed_agents', delayed)
  await db.write(
    'update',
    'new_agents',
    'n set starts_at = d.starts_at from delayed_agents d where d.agent_url = n.agent_url',
  )
}
