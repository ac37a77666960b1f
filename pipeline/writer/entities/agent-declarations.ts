import type { Declaration } from '../../diff/agent-profile.ts'
import type { AgentDeclaration, BrandDocument } from '../../model/documents/index.ts'
import type { Invalidated } from '../../model/invalidated.ts'
import type { Source } from '../../model/observation.ts'
import type { Database } from '../../store/database.ts'
import type { Files } from '../derivation-files.ts'

/** Agents with changed declarations, and the files that changed them. */
interface ChangedDeclarations {
  agents: string[]
  locations: string[]
}

const noChange: ChangedDeclarations = { agents: [], locations: [] }

/**
 * Updates the agents that invalidated brand.json files declare, wherever these files are, and returns what
 * changed. A file that has expired declares none.
 */
export async function updateDeclarations(
  db: Database,
  invalidated: readonly Invalidated[],
  files: Files,
): Promise<ChangedDeclarations> {
  const touched = invalidated.filter(source => source.kind === 'brand.json' && source.is_own)
  if (touched.length === 0) return noChange
  await files.load(touched)
  const locations = { locations: JSON.stringify(touched.map(({ location }) => location)) }
  const inLocations = `location in (select value from json_each($locations))`
  const before = await db.all<Declaration>(
    `select agent_url, location, type from agent_declarations where ${inLocations}`,
    locations,
  )
  const after = touched.flatMap(source => listDeclarations(source, files))
  const changed = diffSymmetrically(before, after)
  if (changed.length === 0) return noChange
  await db.write('delete from', 'agent_declarations', `where ${inLocations}`, locations)
  await db.insert('agent_declarations', after)
  return {
    agents: [...new Set(changed.map(({ agent_url }) => agent_url))],
    locations: [...new Set(changed.map(({ location }) => location))],
  }
}

function listDeclarations(source: Source, files: Files): Declaration[] {
  const { document, validity } = files.get(source)
  if (document === undefined || validity === 'expired') return []
  const { location } = source
  const types = new Map<string, string>()
  for (const { agent_url, type } of listAgents(document as BrandDocument)) {
    if (!types.has(agent_url)) types.set(agent_url, type)
  }
  return [...types].map(([agent_url, type]) => ({ agent_url, location, type }))
}

function listAgents(document: BrandDocument): AgentDeclaration[] {
  switch (document.variant) {
    case 'house_portfolio':
      return [...document.house.agents, ...document.brands.flatMap(brand => brand.agents)]
    case 'brand_canonical':
      return document.brand.agents
    case 'brand_agent':
      return document.agents
    default:
      return []
  }
}

/** Lists the declarations that are in only one of the two lists. */
function diffSymmetrically(before: Declaration[], after: Declaration[]): Declaration[] {
  const toKey = ({ agent_url, location, type }: Declaration) =>
    JSON.stringify([agent_url, location, type])
  const [was, is] = [new Set(before.map(toKey)), new Set(after.map(toKey))]
  return [
    ...before.filter(row => !is.has(toKey(row))),
    ...after.filter(row => !was.has(toKey(row))),
  ]
}
