import type { FacetCount } from '../diff/reach.ts'
import type { EventDraft } from '../model/event.ts'
import type { Invalidated } from '../model/invalidated.ts'
import { recordChanges } from '../store/commit-notes.ts'
import type { Database } from '../store/database.ts'
import type { ApplyContext } from './apply-context.ts'
import type { HeldBack } from './crawl/brake.ts'
import { addDomains, addHops } from './crawl/frontier.ts'
import { admitMentions } from './crawl/mentions.ts'
import { recordDependencies, type Subjects, wakeNow } from './dependencies.ts'
import type { Files } from './derivation-files.ts'
import { updateAgentClaims } from './entities/agent-claims.ts'
import { updateDeclarations } from './entities/agent-declarations.ts'
import { keepAgentSources } from './entities/agent-sources.ts'
import { type AgentChanges, type Leavings, updateAgents } from './entities/agents.ts'
import { updateBrands } from './entities/brands.ts'
import { updateHouseClaims } from './entities/house-claims.ts'
import { type Merged, noneMerged } from './entities/merges.ts'
import { updateOperatorSides } from './entities/operator-sides.ts'
import { updateOperators } from './entities/operators.ts'
import { updatePropertyDeclarations } from './entities/property-declarations.ts'
import { updatePublishers } from './entities/publishers.ts'
import { moveGrants } from './entities/retarget-grants.ts'

/** Result of deriving. */
export interface Derivation {
  drafts: EventDraft[]
  /** Losses that the brake held back, if any. */
  held: HeldBack
  /** Publishers whose answer is applied in part; the next commits apply the rest. */
  unfinished: number
}

/** Derives answers again, and writes the difference and what follows from it. */
export async function deriveAgain(
  db: Database,
  subjects: Subjects,
  invalidated: readonly Invalidated[],
  files: Files,
  context: ApplyContext,
  merged: Merged = noneMerged,
): Promise<Derivation> {
  const claimed = await updateHouseClaims(db, invalidated, files)
  const shown = claimed.filter(domain => !context.takenDown.covers(domain))
  const branded = [...new Set([...subjects.brand, ...shown])]
  const brands = await updateBrands(db, branded, files, context)
  const publishing = [...new Set([...subjects.publisher, ...merged.publishers])]
  const urgent = new Set([...(context.released ?? []), ...merged.publishers])
  const publishers = await updatePublishers(db, publishing, files, { ...context, urgent })
  const moved = await moveGrants(db, merged.aliases, context)
  const reached = [...merged.reached, ...publishers.reached]
  const agents = await updateAllOfAgents(
    db,
    { ...publishers, reached },
    invalidated,
    files,
    context,
  )
  const operator = await updatePropertyDeclarations(db, invalidated, files)
  await updateOperatorSides(db, {
    locations: [...operator, ...(await updateOperators(db, agents.named))],
    publishers: [...publishers.domains, ...moved.publishers],
    branded: brands.domains,
  })
  await recordDependencies(db, 'brand', brands.derived)
  await recordDependencies(db, 'publisher', publishers.derived)
  await wakeNow(db, 'publisher', publishers.postponed, context.now)
  const asked = [...brands.derived, ...publishers.derived].flatMap(derivation => derivation.asked)
  const untried = asked.filter(source => files.get(source).validity === 'unknown')
  await addHops(db, untried, context)
  const mentioned = await admitMentions(db, [...brands.mentions, ...publishers.mentions], context)
  await addDomains(db, mentioned, { ...context, max: context.frontierMax })
  await recordChanges(db, context.seq, {
    brand: brands.domains,
    publisher: [...publishers.domains, ...publishers.managers],
    ...publishers.gone,
    agent: agents.named,
    agent_profile: agents.described,
    operated: agents.naming,
    operator,
  })
  const drafts = [...merged.events, ...publishers.events, ...moved.events, ...agents.events]
  return { drafts, held: publishers.held, unfinished: publishers.unfinished }
}

/**
 * Updates agents by the grants that reach them, the files that declare them and their own statements, and
 * then the list of agents to probe.
 */
async function updateAllOfAgents(
  db: Database,
  { reached, left }: { reached: readonly FacetCount[]; left: Leavings },
  invalidated: readonly Invalidated[],
  files: Files,
  context: ApplyContext,
): Promise<AgentChanges & { named: string[]; described: string[]; naming: string[] }> {
  const declared = await updateDeclarations(db, invalidated, files)
  const probed = invalidated.filter(({ kind, is_new }) => kind === 'agent' && is_new)
  await updateAgentClaims(db, probed, files, context.seq)
  const described = [...declared.agents, ...probed.map(({ location }) => location)]
  const changes = await updateAgents(db, reached, described, left, context)
  const named = [...changes.joinedOrLeft, ...declared.agents]
  const answered = probed.map(({ location }) => location)
  await keepAgentSources(db, named, answered, context)
  return { ...changes, named, described, naming: declared.locations }
}
