import type { PlacedFault } from '../../pipeline/model/reported-fault.ts'
import { describeRepair } from '../../pipeline/parse/fault-repair.ts'
import { isPublicAgent } from '../../pipeline/read/lookups/public-agents.ts'
import { findNearAgent } from '../../pipeline/read/queries/near-agents.ts'
import type { Reader } from '../../pipeline/read/reader.ts'
import type { NamedAgent } from '../inputs/named-agents.ts'

const UNKNOWN_MAX = 100
/** Number of unknown agents for which a known one is looked for. */
const MEANT_MAX = 20

/**
 * Lists the agents of a proposed file that the registry does not know: a new one, or a misspelled address. None where it has no
 * stores to look in.
 */
export function listUnknownAgents(agents: readonly NamedAgent[], reader: Reader): NamedAgent[] {
  if (reader.serving === undefined) return []
  return agents.filter(({ url }) => !isPublicAgent(reader, url)).slice(0, UNKNOWN_MAX)
}

/** Builds a warning about each unknown agent, with the known one that was most likely meant. */
export function buildUnknownFaults(
  unknown: readonly NamedAgent[],
  reader: Reader,
): Promise<PlacedFault[]> {
  return Promise.all(
    unknown.map(async ({ url, field, line, column }, at) => {
      const meant = at < MEANT_MAX ? await findNearAgent(reader, url) : undefined
      const advice =
        meant === undefined
          ? 'check the URL, or keep it if the agent is new'
          : `did you mean ${JSON.stringify(meant)}?`
      const code = 'unknown_agent' as const
      const message = `${field} is not the URL of a known agent: ${advice}`
      const suggestion = describeRepair({ code, message })
      return { field, code, severity: 'warning' as const, message, suggestion, line, column }
    }),
  )
}
