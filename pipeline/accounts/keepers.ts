import { groupBy } from '../core/group.ts'
import { requireValue } from '../core/present.ts'
import { type AgentEnrolment, chooseKeeper, isOnDomain } from '../resolve/agent-keeper.ts'
import { type Database, type Parameters, toListExpression } from '../store/duckdb.ts'

/** The organization that is responsible for an agent, and the visibility that it chose. */
export interface Keeper extends AgentEnrolment {
  agent_url: string
}

/** Loads the keepers of these agents, or of all enrolled agents, by agent. */
export async function loadKeepers(
  db: Database,
  agents?: readonly string[],
): Promise<Map<string, Keeper>> {
  const [where, parameters]: [string, Parameters] =
    agents === undefined
      ? ['', {}]
      : [
          `where agent_url in (select unnest(${toListExpression('$agents')}))`,
          { agents: JSON.stringify(agents) },
        ]
  const rows = await db.all<Omit<Keeper, 'isOnOwnDomain'> & { domains: string[] | null }>(
    `select a.agent_url, a.org_id, a.visibility, a.enrolled_at, o.membership_tier as tier,
       (select list(d.domain) from verified_domains d where d.org_id = a.org_id) as domains
     from member_agents a join organizations o using (org_id) ${where}`,
    parameters,
  )
  const enrolments = rows.map(
    ({ domains, ...row }): Keeper => ({
      ...row,
      isOnOwnDomain: (domains ?? []).some(domain => isOnDomain(row.agent_url, domain)),
    }),
  )
  return new Map(
    [...groupBy(enrolments, row => row.agent_url)].map(([url, group]) => [
      url,
      requireValue(chooseKeeper(group), 'enrolment'),
    ]),
  )
}
