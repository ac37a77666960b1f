import {
  buildProfileRow,
  type Declaration,
  isSameProfile,
  type ProbedFacts,
} from '../../diff/agent-profile.ts'
import type { RowStamp } from '../../diff/stamp.ts'
import type { AgentProfileRow } from '../../model/rows.ts'
import type { Database } from '../../store/database.ts'
import { deleteRows } from '../../store/row-writes.ts'

export type Profiles = Map<string, AgentProfileRow>

const OF_AGENTS = `agent_url in (select value from json_each($agents))`

/** Unites the values in an agent's capabilities and in its products, sorted. */
const either = (
  declared: string,
  sold: string,
) => `(select json_group_array(value order by value) from (
    select value from json_each(document, '$.capabilities.${declared}') where value is not null
    union select value from json_each(document, '$.products.${sold}') where value is not null))`

const PROBED = `
select location as agent_url, document->>'$.name' as name, document->>'$.type' as type,
  document -> '$.protocols' as "protocols [json]",
  json_array_length(document, '$.tools') as tools_count,
  ${either('supported_channels', 'channels')} as "channels [json]",
  ${either('markets', 'markets')} as "markets [json]",
  document -> '$.products.delivery_types' as "delivery_types [json]",
  document -> '$.format_kinds' as "format_kinds [json]",
  document ->> '$.capabilities.has_tmp' as "has_tmp [boolean]",
  document ->> '$.needs_auth' as "needs_auth [boolean]"
from documents where kind = 'agent' and location in (select value from json_each($agents))`

/** Loads the stored profiles of some agents. */
export async function loadProfiles(db: Database, agents: readonly string[]): Promise<Profiles> {
  if (agents.length === 0) return new Map()
  const rows = await db.all<AgentProfileRow>(`select * from agent_profiles where ${OF_AGENTS}`, {
    agents: JSON.stringify(agents),
  })
  return new Map(rows.map(row => [row.agent_url, row]))
}

/**
 * Makes the profiles of agents again, of which something new was probed or declared, and writes those
 * that differ. Returns the agents whose profile is another one now.
 */
export async function updateProfiles(
  db: Database,
  agents: readonly string[],
  stamp: RowStamp,
): Promise<string[]> {
  if (agents.length === 0) return []
  const parameters = { agents: JSON.stringify(agents) }
  const before = await loadProfiles(db, agents)
  const probed = new Map(
    (await db.all<ProbedFacts & { agent_url: string }>(PROBED, parameters)).map(
      ({ agent_url, ...facts }) => [agent_url, facts],
    ),
  )
  const declared = await loadDeclarations(db, agents)
  const changed = agents.flatMap(agent => {
    const row = buildProfileRow(agent, probed.get(agent), declared.get(agent) ?? [], stamp)
    return isSameProfile(before.get(agent), row) ? [] : [{ agent, row }]
  })
  const names = changed.map(({ agent }) => agent)
  await deleteRows(db, 'agent_profiles', 'agent_url', names)
  await db.insert(
    'agent_profiles',
    changed.flatMap(({ row }) => row ?? []),
  )
  return names
}

async function loadDeclarations(
  db: Database,
  agents: readonly string[],
): Promise<Map<string, Declaration[]>> {
  const rows = await db.all<Declaration>(
    `select * from agent_declarations where ${OF_AGENTS} order by agent_url, location`,
    { agents: JSON.stringify(agents) },
  )
  const byAgent = new Map<string, Declaration[]>()
  for (const row of rows) {
    const others = byAgent.get(row.agent_url)
    if (others) others.push(row)
    else byAgent.set(row.agent_url, [row])
  }
  return byAgent
}
