import { requireValue } from '../core/present.ts'
import { type AgentEnrolment, chooseKeeper, isOnDomain } from '../resolve/agent-keeper.ts'
import type { Sqlite, SqliteParameters } from '../store/sqlite.ts'

/** The organization that is responsible for an agent, and the visibility that it chose. */
export interface Keeper extends AgentEnrolment {
  agent_url: string
}

/** Loads the keepers of these agents, or of all enrolled agents, by agent. */
export function loadKeepers(db: Sqlite, agents?: readonly string[]): Map<string, Keeper> {
  const [where, parameters]: [string, SqliteParameters] =
    agents === undefined
      ? ['', {}]
      : [
          `where agent_url in (select value from json_each($agents))`,
          { agents: JSON.stringify(agents) },
        ]
  const rows = db.all<Omit<Keeper, 'isOnOwnDomain'> & { domains: string[] }>(
    `select a.agent_url, a.org_id, a.visibility, a.enrolled_at, o.membership_tier as tier,
       (select json_group_array(d.domain) from verified_domains d where d.org_id = a.org_id)
         as "domains [json]"
     from member_agents a join organizations o using (org_id) ${where}`,
    parameters,
  )
  const enrolments = rows.map(
    ({ domains, ...row }): Keeper => ({
      ...row,
      isOnOwnDomain: domains.some(domain => isOnDomain(row.agent_url, domain)),
    }),
  )
  return new Map(
    [...Map.groupBy(enrolments, row => row.agent_url)].map(([url, group]) => [
      url,
      requireValue(chooseKeeper(group), 'enrolment'),
    ]),
  )
}
