import type { FacetCount } from '../diff/reach.ts'
import type { EventDraft } from '../model/event.ts'
import { updateAgentClaims } from './agent-claims.ts'
import { updateDeclarations } from './agent-declarations.ts'
import { keepAgentSources } from './agent-sources.ts'
import { type AgentChanges, updateAgents } from './agents.ts'
import type { Applying } from './applying.ts'
import type { HeldBack } from './brake.ts'
import { updateBrands } from './brands.ts'
import { recordChanges } from './changes.ts'
import type { Stirred } from './crawl-state.ts'
import { recordDependencies, type Subjects } from './dependencies.ts'
import type { Files } from './derive.ts'
import type { Database } from './duckdb.ts'
import { addDomains, addHops, type Newcomer } from './frontier.ts'
import { type Merged, noneMerged } from './merges.ts'
import { moveGrants } from './moved-grants.ts'
import { updatePropertyDeclarations } from './property-declarations.ts'
import { updatePublishers } from './publishers.ts'

/** What deriving came to. */
export interface Derivation {
  drafts: EventDraft[]
  /** What the brake held back, if anything. */
  held: HeldBack
}

/** Derives answers again, and writes the difference and what follows from it. */
export async function deriveAgain(
  db: Database,
  subjects: Subjects,
  stirred: readonly Stirred[],
  files: Files,
  applying: Applying,
  merged: Merged = noneMerged,
): Promise<Derivation> {
  const brands = await updateBrands(db, subjects.brand, files, applying)
  const publishing = [...new Set([...subjects.publisher, ...merged.publishers])]
  const publishers = await updatePublishers(db, publishing, files, applying)
  const moved = await moveGrants(db, merged.aliases, applying)
  const reached = [...merged.reached, ...publishers.reached]
  const agents = await updateAllOfAgents(db, reached, stirred, files, applying)
  const operator = await updatePropertyDeclarations(db, stirred, files)
  await recordDependencies(db, 'brand', brands.derived)
  await recordDependencies(db, 'publisher', publishers.derived)
  const asked = [...brands.derived, ...publishers.derived].flatMap(one => one.asked)
  const untried = asked.filter(source => files.get(source).standing === 'untried')
  await addHops(db, untried, applying)
  const mentioned = [...brands.mentions, ...publishers.mentions].map(
    (domain): Newcomer => ({ domain, why: 'mentioned' }),
  )
  await addDomains(db, mentioned, { ...applying, max: applying.frontierMax })
  await recordChanges(db, applying.seq, {
    brand: brands.domains,
    publisher: [...publishers.domains, ...publishers.managers],
    ...publishers.gone,
    agent: agents.named,
    operator,
  })
  const drafts = [...merged.events, ...publishers.events, ...moved, ...agents.events]
  return { drafts, held: publishers.held }
}

/** Agents by what reaches them, what was declared of them and what they said; who is probed follows. */
async function updateAllOfAgents(
  db: Database,
  reached: readonly FacetCount[],
  stirred: readonly Stirred[],
  files: Files,
  applying: Applying,
): Promise<AgentChanges & { named: string[] }> {
  const declared = await updateDeclarations(db, stirred, files)
  const probed = stirred.filter(({ kind, is_new }) => kind === 'agent' && is_new)
  await updateAgentClaims(db, probed, files, applying.seq)
  const told = [...declared, ...probed.map(({ location }) => location)]
  const changes = await updateAgents(db, reached, told, applying)
  const named = [...changes.joinedOrLeft, ...declared]
  await keepAgentSources(db, named, applying)
  return { ...changes, named }
}
