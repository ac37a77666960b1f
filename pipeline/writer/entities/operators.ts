import { type Operator, resolveOperator } from '../../resolve/operator.ts'
import type { Database } from '../../store/database.ts'
import { deleteRows } from '../../store/row-writes.ts'

type OperatorOfAgent = Operator & { agent_url: string }

/**
 * Updates the operators of agents that joined the graph, left it or were declared differently. Returns the
 * files, old and new, that speak for other agents than before.
 */
export async function updateOperators(db: Database, agents: readonly string[]): Promise<string[]> {
  if (agents.length === 0) return []
  const parameters = { agents: JSON.stringify([...new Set(agents)]) }
  const touched = `(select value as agent_url from json_each($agents))`
  const before = await db.all<OperatorOfAgent>(
    `select * from agent_operators where agent_url in ${touched}`,
    parameters,
  )
  const known = await db.all<{ agent_url: string; named_by: string[] | null }>(
    `with touched as ${touched},
     naming as (select agent_url, json_group_array(distinct location) as named_by
       from agent_declarations where agent_url in (select agent_url from touched) group by agent_url)
     select agent_url, n.named_by as "named_by [json]" from touched left join naming n using (agent_url)
     where n.named_by is not null or agent_url in (select agent_url from agents)`,
    parameters,
  )
  const after = known.flatMap(({ agent_url, named_by }): OperatorOfAgent[] => {
    const operator = resolveOperator(agent_url, named_by ?? [])
    return operator === undefined ? [] : [{ agent_url, ...operator }]
  })
  const toText = ({ agent_url, domain, location, names_agent }: OperatorOfAgent) =>
    JSON.stringify([agent_url, domain, location, names_agent])
  const [was, is] = [new Set(before.map(toText)), new Set(after.map(toText))]
  const gone = before.filter(row => !is.has(toText(row)))
  const added = after.filter(row => !was.has(toText(row)))
  await deleteRows(
    db,
    'agent_operators',
    'agent_url',
    gone.map(({ agent_url }) => agent_url),
  )
  await db.insert('agent_operators', added)
  return [...new Set([...gone, ...added].map(({ location }) => location))]
}
