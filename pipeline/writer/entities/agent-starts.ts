import { HOUR, type Instant } from '../../core/clock.ts'
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
  union all select value, domain from publishers, json_each(listed_agents) where listed_agents != '[]'
  union all select agent_url, location from agent_declarations) named
where agent_url in (select agent_url from new_agents)
  and agent_url not in (select agent_url from enrolled_agents)
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
  const delayed = rows.flatMap(({ agent_url, document }): [string, number][] => {
    const max = limits.agentsPerDocumentHour * (vouched.has(document) ? VOUCHED_WEIGHT : 1)
    if (limits.newNames.take(`agents of ${document}`, max, now)) return []
    const count = delayedByDocument.get(document) ?? 0
    delayedByDocument.set(document, count + 1)
    return [[agent_url, now + HOUR * (1 + Math.floor(count / Math.max(1, max)))]]
  })
  if (delayed.length === 0) return
  await db.stage('delayed_agents', 'agent_url text, starts_at integer', delayed)
  await db.write(
    'update',
    'new_agents',
    'as n set starts_at = d.starts_at from delayed_agents d where d.agent_url = n.agent_url',
  )
}
