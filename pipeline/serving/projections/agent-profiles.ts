import type { Database } from '../../store/database.ts'
import { type AgentProfile, type AgentTool, cutTools } from '../agent-profile-record.ts'
import { toJsonValue } from '../document-value.ts'
import { hashAgent } from '../keys.ts'
import type { Entry } from '../lmdb.ts'

interface Row extends Omit<AgentProfile, 'tools' | 'type'> {
  agent_url: string
  /** Null where nothing is known of the agent anymore. */
  type: AgentProfile['type'] | null
  tools: AgentTool[] | null
}

const PROFILES = `
with touched as (select value as agent_url from json_each($keys))
select touched.agent_url, substr(p.name, 1, 160) as name, p.type, p.protocols, p.tools_count, p.needs_auth,
  d.document ->> '$.description' as description,
  (select json_group_array(json_object('name', value ->> '$.name', 'description', value ->> '$.description') order by key)
    from json_each(d.document, '$.tools') where d.document is not null) as "tools [json]"
from touched left join agent_profiles p using (agent_url)
  left join documents d on d.kind = 'agent' and d.location = touched.agent_url`

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
