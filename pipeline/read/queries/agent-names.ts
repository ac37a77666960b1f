import { toListExpression } from '../../store/columnar/duckdb-values.ts'
import type { Snapshot } from '../reader.ts'

/**
 * Finds agents whose own name contains a text, whatever its case and accents; exact names first, then in their
 * order. `hidden` are those of which members keep to themselves what the registry learned by probing.
 */
export async function findAgentsByName(
  snapshot: Snapshot,
  text: string,
  { hidden, limit }: { hidden: readonly string[]; limit: number },
): Promise<string[]> {
  const found = await snapshot.db.all<{ agent_url: string }>(
    `select agent_url from (
       select agent_url, strip_accents(lower(name)) as folded, strip_accents(lower($text)) as wanted
       from agent_profiles where name is not null
     ) where contains(folded, wanted)
       and agent_url not in (select unnest(${toListExpression('$hidden')}))
     order by folded <> wanted, folded, agent_url limit $limit`,
    { text, limit, hidden: JSON.stringify(hidden) },
  )
  return found.map(({ agent_url }) => agent_url)
}
