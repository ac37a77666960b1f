import type { Outcome } from '../../core/outcomes.ts'
import type {
  AgentCapabilities,
  AgentOperations,
  AgentProtocol,
  AgentTypeOrUnknown,
} from '../../model/documents/index.ts'
import { SupportedFormat } from '../../model/responses/agents.ts'
import { toListExpression } from '../../store/columnar/duckdb-values.ts'
import type { SnapshotQueries } from '../query-pool.ts'
import type { Snapshot } from '../reader.ts'

/** An agent's description of itself, as far as lists show it. */
export interface AgentStatements {
  tools: { name: string; description: string | null }[]
  operations: AgentOperations
  audience_types: string[]
  supported_formats: SupportedFormat[]
  measurement: AgentCapabilities['measurement']
  formats_count: number | null
  resources_count: number | null
  description: string | null
}

/** Facts about an agent in the snapshot, independent of its enrolment. Times are ISO 8601 text. */
export interface AgentFacts {
  agent_url: string
  outcome: Outcome | null
  checked_at: string | null
  took_ms: number | null
  hash: string | null
  /** Name that it gives itself. */
  name: string | null
  type: AgentTypeOrUnknown | null
  protocols: AgentProtocol[] | null
  tools_count: number | null
  needs_auth: boolean | null
  publisher_count: number | null
  property_count: number | null
  tags: string[] | null
  statements?: AgentStatements
}

const FACTS = `
select asked.agent_url, s.outcome, s.attempted_at as checked_at, s.took_ms::double as took_ms,
  s.hash, p.name, p.type, p.protocols, p.tools_count::double as tools_count, p.needs_auth,
  a.publisher_count::double as publisher_count, a.property_count::double as property_count, a.tags
from (select unnest(${toListExpression('$agents')}) as agent_url) asked
left join crawl_state s on s.kind = 'agent' and s.location = asked.agent_url
left join agent_profiles p on p.agent_url = asked.agent_url
left join agents a on a.agent_url = asked.agent_url`

const SAID = `
select location as agent_url, hash, document->'$.operations' as operations,
  document->'$.capabilities' as capabilities, document->>'$.description' as description,
  json_array_length(document, '$.formats')::double as formats_count,
  (document->>'$.resources_count')::double as resources_count,
  to_json(from_json(document->'$.tools', '[{"name":"VARCHAR","description":"VARCHAR"}]')) as tools
from documents where kind = 'agent' and location in (select unnest(${toListExpression('$agents')}))`

/** Documents that are read at a time: other requests are answered in between. */
const DOCUMENTS_PER_TURN = 100

interface AgentDocumentRow {
  agent_url: string
  hash: string
  operations: AgentOperations
  capabilities: AgentCapabilities | null
  description: string | null
  formats_count: number | null
  resources_count: number | null
  tools: AgentStatements['tools'] | null
}

/** Parsed documents by agent: one with an unchanged hash is not parsed again. */
export type StatementsByAgent = Map<string, { hash: string; statements: AgentStatements }>

/** Loads the facts about some agents from a snapshot. `known` is read from and updated. */
export async function loadAgentFacts(
  { db }: Snapshot,
  agents: readonly string[],
  known: StatementsByAgent,
): Promise<Map<string, AgentFacts>> {
  const rows = await db.all<AgentFacts>(FACTS, { agents: JSON.stringify(agents) })
  const isRead = ({ agent_url, hash }: AgentFacts) => known.get(agent_url)?.hash === hash
  const unread = rows.filter(row => row.hash !== null && !isRead(row))
  await readStatements(
    db,
    unread.map(row => row.agent_url),
    known,
  )
  const facts = new Map<string, AgentFacts>()
  for (const row of rows) {
    const read = row.hash === null ? undefined : known.get(row.agent_url)
    facts.set(row.agent_url, read === undefined ? row : { ...row, statements: read.statements })
  }
  for (const agent of known.keys()) if (!facts.get(agent)?.hash) known.delete(agent)
  return facts
}

async function readStatements(
  db: SnapshotQueries,
  agents: readonly string[],
  known: StatementsByAgent,
) {
  for (let start = 0; start < agents.length; start += DOCUMENTS_PER_TURN) {
    const some = agents.slice(start, start + DOCUMENTS_PER_TURN)
    const rows = await db.all<AgentDocumentRow>(SAID, { agents: JSON.stringify(some) })
    for (const row of rows)
      known.set(row.agent_url, { hash: row.hash, statements: parseStatements(row) })
  }
}

function parseStatements(row: AgentDocumentRow): AgentStatements {
  const { operations, capabilities, description, formats_count, resources_count, tools } = row
  return {
    tools: tools ?? [],
    operations,
    audience_types: capabilities?.audience_types ?? [],
    supported_formats: (capabilities?.supported_formats ?? []).flatMap(format => {
      const read = SupportedFormat.safeParse(format)
      return read.success ? [read.data] : []
    }),
    measurement: capabilities?.measurement,
    formats_count,
    resources_count,
    description,
  }
}

/** Reach of an agent by publishers' grants, as names. */
export interface AgentReach {
  publishers: string[]
  count_by_type: Record<string, number>
}

const PUBLISHERS_MAX = 100

const REACH = `
select agent_url, list(publisher_domain order by publisher_domain) as publishers from (
  select agent_url, publisher_domain from authorizations
  where in_force and agent_url in (select unnest(${toListExpression('$agents')}))
  group by agent_url, publisher_domain
  qualify row_number() over (partition by agent_url order by publisher_domain) <= ${PUBLISHERS_MAX})
group by agent_url`

const BY_TYPE = `
select agent_url, value as property_type, times::double as times from agent_facets
where facet = 'property_type' and agent_url in (select unnest(${toListExpression('$agents')}))
order by agent_url, property_type`

export async function loadAgentReach(
  { db }: Snapshot,
  agents: readonly string[],
): Promise<Map<string, AgentReach>> {
  const parameters = { agents: JSON.stringify(agents) }
  const named = await db.all<{ agent_url: string; publishers: string[] }>(REACH, parameters)
  const types = await db.all<{ agent_url: string; property_type: string; times: number }>(
    BY_TYPE,
    parameters,
  )
  const reach = new Map<string, AgentReach>()
  for (const { agent_url, publishers } of named) {
    reach.set(agent_url, { publishers, count_by_type: {} })
  }
  for (const { agent_url, property_type, times } of types) {
    const known = reach.get(agent_url)
    if (known) known.count_by_type[property_type] = times
  }
  return reach
}
