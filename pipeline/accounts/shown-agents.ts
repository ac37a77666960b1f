import type { Sqlite } from '../store/sqlite.ts'

/** Loads the agents that these organizations publish. */
export function loadEnrolments(
  db: Sqlite,
  orgIds: readonly string[],
): { org_id: string; agents: string[] }[] {
  if (orgIds.length === 0) return []
  const rows = db.all<{ org_id: string; agent_url: string }>(
    `select org_id, agent_url from member_agents where visibility = 'public'
       and org_id in (select value from json_each($ids)) order by org_id, position`,
    { ids: JSON.stringify(orgIds) },
  )
  const shown = Map.groupBy(rows, row => row.org_id)
  return orgIds.map(org_id => ({
    org_id,
    agents: (shown.get(org_id) ?? []).map(({ agent_url }) => agent_url),
  }))
}
