import { toIso } from '../core/clock.ts'
import { isSameSite } from '../core/domain.ts'
import { type AgentDocument, type AgentType, agentTypes } from '../model/documents/index.ts'
import { isUrl } from '../model/observation.ts'
import type { AgentProfileRow } from '../model/rows.ts'
import { isSameValue } from './diff.ts'
import type { RowStamp } from './stamp.ts'

/** The facts of an agent's document that become its profile. */
export type ProbedFacts = Pick<AgentProfileRow, 'protocols' | 'tools_count' | 'needs_auth'> &
  Pick<AgentDocument, 'type'> & {
    name: string | null
    channels: string[] | null
    markets: string[] | null
    has_tmp: boolean | null
    delivery_types: string[] | null
    format_kinds: string[] | null
  }

/** The type that a brand.json, at a domain or an address, declares for an agent. */
export interface Declaration {
  agent_url: string
  location: string
  type: string
}

/** Builds the profile of an agent; undefined when it was never reached nor declared. */
export function buildProfileRow(
  agent_url: string,
  probed: ProbedFacts | undefined,
  declarations: readonly Declaration[],
  { now, seq }: Pick<RowStamp, 'now' | 'seq'>,
): AgentProfileRow | undefined {
  if (probed === undefined && declarations.length === 0) return undefined
  return {
    agent_url,
    name: probed?.name ?? null,
    type: chooseType(agent_url, probed, declarations),
    protocols: probed?.protocols ?? [],
    tools_count: probed?.tools_count ?? 0,
    channels: probed?.channels ?? [],
    markets: probed?.markets ?? [],
    has_tmp: probed?.has_tmp ?? false,
    needs_auth: probed?.needs_auth ?? false,
    delivery_types: probed?.delivery_types ?? [],
    format_kinds: probed?.format_kinds ?? [],
    changed_at: toIso(now),
    seq,
  }
}

/**
 * Chooses the type of an agent. Any brand.json can declare any agent: only that of its own site outranks
 * what the agent reports; others count if it reports nothing, and only if they agree.
 */
function chooseType(
  agentUrl: string,
  probed: ProbedFacts | undefined,
  declarations: readonly Declaration[],
): AgentProfileRow['type'] {
  const host = new URL(agentUrl).hostname
  const known = declarations.filter(({ type }) => isAgentType(type))
  const own = known.find(({ location }) => isSameSite(getSite(location), host))
  if (own !== undefined) return own.type as AgentType
  if (probed !== undefined && probed.type !== 'unknown') return probed.type
  const declaredTypes = new Set(known.map(({ type }) => type))
  return declaredTypes.size === 1 ? ([...declaredTypes][0] as AgentType) : 'unknown'
}

function getSite(location: string): string {
  return isUrl(location) ? new URL(location).hostname : location
}

function isAgentType(type: string): boolean {
  return (agentTypes as readonly string[]).includes(type)
}

/** Tells whether two profiles are equal, except for when they were written. */
export function isSameProfile(
  old: AgentProfileRow | undefined,
  row: AgentProfileRow | undefined,
): boolean {
  if (old === undefined || row === undefined) return old === row
  const { changed_at, seq } = old
  return isSameValue(old, { ...row, changed_at, seq })
}
