import { listOf } from '../duckdb.ts'
import type { Snapshot } from '../reader.ts'

export interface Trust {
  agent_url: string
  publisher_domain: string
  authorized_for: string | null
  /** Publishers that trust this agent, those not listed too. */
  total: number
}

const TRUST = `
select agent_url, publisher_domain, min(authorized_for) as authorized_for,
  (count(*) over (partition by agent_url))::double as total
from authorizations where in_force and agent_url in (select unnest(${listOf('$agents')}))
group by agent_url, publisher_domain
qualify row_number() over (partition by agent_url order by publisher_domain) <= $each
order by agent_url, publisher_domain`

/** Which publishers let these agents sell, at most `each` of an agent, by domain. */
export async function trustIn(
  snapshot: Snapshot | undefined,
  agents: readonly string[],
  each: number,
): Promise<Map<string, Trust[]>> {
  const byAgent = new Map<string, Trust[]>()
  if (snapshot === undefined || agents.length === 0) return byAgent
  const rows = await snapshot.db.all<Trust>(TRUST, { agents: JSON.stringify(agents), each })
  for (const row of rows) {
    const others = byAgent.get(row.agent_url)
    if (others) others.push(row)
    else byAgent.set(row.agent_url, [row])
  }
  return byAgent
}
