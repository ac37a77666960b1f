import type { Instant } from '../core/clock.ts'
import type { Domain } from '../core/domain.ts'
import type { RisingIds } from '../core/uuid-v7.ts'
import type { FacetCount } from '../diff/reach.ts'
import type { Stamp } from '../diff/rows.ts'
import type { EventDraft, FeedEvent } from '../model/event.ts'
import { type Observation, sourceKey } from '../model/observation.ts'
import type { Submission } from '../model/submission.ts'
import type { EntryDecision } from './accounts/entry-reviews.ts'
import type { Publications } from './accounts/publications.ts'
import { updateAgentClaims } from './agent-claims.ts'
import { updateDeclarations } from './agent-declarations.ts'
import { keepAgentSources } from './agent-sources.ts'
import { type AgentChanges, updateAgents } from './agents.ts'
import type { Braking, HeldBack } from './brake.ts'
import { updateBrands } from './brands.ts'
import { notedChanges, recordChanges } from './changes.ts'
import { takeContributions } from './contributions.ts'
import { settleRequests } from './crawl-requests.ts'
import { type Stirred, takeIn, takeTurns } from './crawl-state.ts'
import { recordDependencies, type Subjects, subjectsOf } from './dependencies.ts'
import { Files } from './derive.ts'
import { isUnderstood, replaceDocuments } from './documents.ts'
import type { Database } from './duckdb.ts'
import { type Enrolment, takeEnrolments } from './enrolments.ts'
import { takeDecisions } from './entry-decisions.ts'
import { addDomains, addHops, type Newcomer } from './frontier.ts'
import { takeHeld } from './held.ts'
import { hostedStirred } from './hosted.ts'
import { type Merged, noneMerged, takeMerges } from './merges.ts'
import { takeMirrors } from './mirrors.ts'
import { moveGrants } from './moved-grants.ts'
import { takePolicies } from './policies.ts'
import { updatePropertyDeclarations } from './property-declarations.ts'
import { updatePublishers } from './publishers.ts'
import { type Poison, quarantine } from './quarantine.ts'
import { recordEvents } from './record-events.ts'
import type { Recrawling } from './recrawl.ts'
import { notedRevisions } from './revisions.ts'
import { approvedSaves, type Editing, type Saved, takeSaves } from './saves.ts'
import { takeSubmissions } from './submissions.ts'
import { takeSuspensions } from './suspensions.ts'
import { weigh } from './suspicion.ts'
import { takeAway } from './takedown.ts'
import type { TakenDown } from './taken-down.ts'

export interface Batch {
  observations: readonly Observation[]
  submissions: readonly Submission[]
  /** Those that come for the first time, as the accounts know. */
  fresh?: ReadonlySet<string>
  /** What members that the submissions are about show to everybody. */
  enrolments?: readonly Enrolment[]
  /** What was decided in the accounts and is shown from now on. */
  publications?: Publications
  /** When the submissions were carried out first, where this is not the first time. */
  submittedAt?: Instant
  /** What the accounts tell of the saves among the submissions. */
  editing?: Editing
  /** What was decided about entries that waited for a person. */
  decisions?: readonly EntryDecision[]
  /** Domains of which nothing may be left. */
  takedowns?: readonly Domain[]
  /** Observations that could not be taken in, to be remembered as such. */
  poison?: readonly Poison[]
  /** Who is named as the actor of the events. */
  actor?: string
}

export interface Applying extends Stamp, Recrawling, Braking {
  ids: RisingIds
  frontierMax: number
  /** How many agents of one host are probed. */
  agentsPerHost: number
  /** Domains of which nothing is taken in. */
  takenDown: TakenDown
  /** Public address of the registry, if files can be pointed to there. */
  hostingBase?: string | undefined
}

/** What a batch came to. */
export interface Applied {
  events: FeedEvent[]
  /** What its saves came to, by their revisions. */
  saved: Map<string, Saved>
  /** What the brake held back, if anything. */
  held: HeldBack
}

/**
 * What a batch means for the index: takes it in, derives again what it stirs, writes the difference
 * and the events. Runs inside the one transaction of a commit.
 */
export async function apply(db: Database, batch: Batch, applying: Applying): Promise<Applied> {
  notedChanges.begin(db, applying.seq)
  notedRevisions.begin(db, applying.seq)
  const taken = await takeSubmissions(db, batch.submissions, applying, batch.fresh)
  const { editing = { editors: new Map(), waiting: new Set() }, decisions = [] } = batch
  const saving = { ...applying, now: batch.submittedAt ?? applying.now }
  const approved = await approvedSaves(db, batch.publications?.brands ?? [], applying.takenDown)
  const editors = new Map([...editing.editors, ...approved.editors])
  const saves = [...taken, ...approved.submissions]
  const saved = await takeSaves(db, saves, { ...editing, editors }, saving)
  await takeDecisions(db, decisions, applying)
  const merged = await takeMerges(db, taken, applying)
  const takenAway = await takeAway(db, batch.takedowns ?? [], applying)
  const asked = await takeHeld(db, taken, applying)
  await quarantine(db, batch.poison ?? [], applying)
  const { takenDown } = applying
  const seen = batch.observations.filter(({ location }) => !takenDown.covers(location))
  const observations = await weigh(db, seen, applying)
  // What time alone changes comes with what is derived anyway, and else with the tick.
  const asking = [asked.stirred, asked.released, takenAway.stirred, merged.publishers]
  const isWatching =
    batch.observations.length > 0 ||
    batch.submissions.length === 0 ||
    asking.some(({ length }) => length > 0)
  const crawled = [
    ...(observations.length > 0 ? await takeIn(db, observations, applying) : []),
    ...(isWatching ? await takeTurns(db, applying.now) : []),
    ...asked.stirred,
    ...takenAway.stirred,
  ]
  const known = new Set(crawled.map(sourceKey))
  const told = [...saved.values(), ...decisions]
  const pointing = await hostedStirred(db, told, applying.hostingBase)
  const stirred = [...crawled, ...pointing.filter(one => !known.has(sourceKey(one)))]
  const subjects = await subjectsOf(db, stirred, isWatching ? applying.now : undefined)
  const isLeft = (domain: Domain) => !takenDown.covers(domain)
  const brand = subjects.brand.filter(isLeft)
  const publisher = [
    ...new Set([...subjects.publisher, ...asked.released, ...takenAway.publishers]),
  ].filter(isLeft)
  const files = new Files(db, applying.now, applying)
  await takeDocuments(db, observations, stirred, files, applying)
  const again = { brand, publisher }
  const touched = { ...merged, reached: [...merged.reached, ...takenAway.reached] }
  const isTakedown = batch.takedowns !== undefined && batch.takedowns.length > 0
  const released = new Set(isTakedown ? publisher : asked.released)
  const letThrough = { ...applying, released }
  const { drafts, held } = await deriveAgain(db, again, stirred, files, letThrough, touched)
  await takeEnrolments(db, batch.enrolments ?? [], applying)
  drafts.push(...(await takeContributions(db, taken, applying)))
  if (batch.publications) {
    await takePolicies(db, batch.publications, applying)
    drafts.push(...(await takeMirrors(db, batch.publications.mirrors, applying)))
    drafts.push(...(await takeSuspensions(db, batch.publications.suspensions, applying)))
  }
  await settleRequests(db, { observations, poison: batch.poison }, applying)
  return { events: await recordEvents(db, drafts, batch.actor, applying), saved, held }
}

/** Derives answers again, and writes the difference and what follows from it. */
export async function deriveAgain(
  db: Database,
  subjects: Subjects,
  stirred: readonly Stirred[],
  files: Files,
  applying: Applying,
  merged: Merged = noneMerged,
): Promise<{ drafts: EventDraft[]; held: HeldBack }> {
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

async function takeDocuments(
  db: Database,
  observations: readonly Observation[],
  stirred: readonly Stirred[],
  files: Files,
  applying: Applying,
): Promise<void> {
  const fresh = stirred.filter(one => one.is_new)
  const knownUntil = new Map(fresh.map(one => [sourceKey(one), one.known_until ?? 0]))
  const understood = observations
    .filter(isUnderstood)
    .filter(
      seen => seen.observed_at > (knownUntil.get(sourceKey(seen)) ?? Number.POSITIVE_INFINITY),
    )
    .sort((a, b) => a.observed_at - b.observed_at)
  const kept = await replaceDocuments(db, understood, applying)
  for (const seen of kept) files.add(seen, seen.document)
}
