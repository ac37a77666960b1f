import { type Database } from '../../store/database.ts'
import { type AgentProfile, type AgentTool, cutTools } from '../agent-profile-record.ts'
import { toJsonValue } from '../document-value.ts'
import { hashAgent } from '../keys.ts'
import type { Entry } from '../lmdb.ts'

interface Row extends Omit<AgentProfile, 'tools' | 'type'> {
  agent_url: string
  /** Null where nothing is known of the agent any more. */
  type: AgentProfile['type'] | null
  tools: AgentTool[] | null
}

const PROFILES = `
with touched as (select value as agent_url from json_each($keys)),
told as (select location as agent_url, document->>'$.description' as description,
    to_json(from_json(document->'$.tools', '[{"name":"VARCHAR","description":"VARCHAR"}]')) as tools
  from documents semi join touched on kind = 'agent' and location = agent_url)
select agent_url, left(p.name, 160) as name, p.type, p.protocols, p.tools_count as tools_count, p.needs_auth,
  told.description, told.tools
from touched left join agent_profiles p using (agent_url) left join told using (agent_url)`

/** Projects the profiles of agents, with the description and the first tools from their own documents. */
export async function projectAgentProfiles(
  index: Database,
  keys: readonly string[],
): Promise<Entry[]> {
  if (keys.length === 0) return []
  const rows = await index.all<Row>(PROFILES, { keys: JSON.stringify(keys) })
  return rows.map(({ agent_url, tools, type, ...profile }) => ({
    space: 'agent_profile',
    key: hashAgent(agent_url),
    value:
      type === null
        ? undefined
        : toJsonValue({ ...profile, type, tools: cutTools(tools ?? []) } satisfies AgentProfile),
  }))
}
