import { isoOf } from '../core/clock.ts'
import { isSameSite } from '../core/domain.ts'
import { type AgentDocument, type AgentType, agentTypes } from '../model/documents.ts'
import { isUrl } from '../model/observation.ts'
import type { AgentProfileRow } from '../model/rows.ts'
import { sameValue } from './diff.ts'
import type { Stamp } from './rows.ts'

/** The facts of an agent's document that its profile is made of. */
export type ProbedFacts = Pick<AgentProfileRow, 'protocols' | 'tools_count' | 'needs_auth'> &
  Pick<AgentDocument, 'type'> & {
    name: string | null
    channels: string[] | null
    markets: string[] | null
    has_tmp: boolean | null
  }

/** That a brand.json, at a domain or an address, says what an agent is. */
export interface Declaration {
  agent_url: string
  location: string
  type: string
}

/** The profile of an agent; undefined when it was never reached and nobody declares it. */
export function profileRowOf(
  agent_url: string,
  probed: ProbedFacts | undefined,
  declarations: readonly Declaration[],
  { now, seq }: Pick<Stamp, 'now' | 'seq'>,
): AgentProfileRow | undefined {
  if (probed === undefined && declarations.length === 0) return undefined
  return {
    agent_url,
    name: probed?.name ?? null,
    type: typeOf(agent_url, probed, declarations),
    protocols: probed?.protocols ?? [],
    tools_count: probed?.tools_count ?? 0,
    channels: probed?.channels ?? [],
    markets: probed?.markets ?? [],
    has_tmp: probed?.has_tmp ?? false,
    needs_auth: probed?.needs_auth ?? false,
    changed_at: isoOf(now),
    seq,
  }
}

/**
 * Anybody's brand.json can call an agent anything: only its own site's word stands above what the
 * agent shows; another's counts where the agent shows nothing, and all of them agree.
 */
function typeOf(
  agentUrl: string,
  probed: ProbedFacts | undefined,
  declarations: readonly Declaration[],
): AgentProfileRow['type'] {
  const host = new URL(agentUrl).hostname
  const known = declarations.filter(({ type }) => isAgentType(type))
  const own = known.find(({ location }) => isSameSite(siteOf(location), host))
  if (own !== undefined) return own.type as AgentType
  if (probed !== undefined && probed.type !== 'unknown') return probed.type
  const said = new Set(known.map(({ type }) => type))
  return said.size === 1 ? ([...said][0] as AgentType) : 'unknown'
}

function siteOf(location: string): string {
  return isUrl(location) ? new URL(location).hostname : location
}

function isAgentType(type: string): boolean {
  return (agentTypes as readonly string[]).includes(type)
}

/** Equal but for when it was written. */
export function isSameProfile(
  old: AgentProfileRow | undefined,
  row: AgentProfileRow | undefined,
): boolean {
  if (old === undefined || row === undefined) return old === row
  const { changed_at, seq } = old
  return sameValue(old, { ...row, changed_at, seq })
}
