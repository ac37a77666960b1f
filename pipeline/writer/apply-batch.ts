import type { EntryDecision } from '../accounts/entry-reviews.ts'
import type { Publications } from '../accounts/publications.ts'
import type { Instant } from '../core/clock.ts'
import type { Domain } from '../core/domain.ts'
import { allSettledOrThrow } from '../core/promises.ts'
import type { EventDraft, FeedEvent } from '../model/event.ts'
import type { Invalidated } from '../model/invalidated.ts'
import { isUnderstood, type Observation, toSourceKey } from '../model/observation.ts'
import { type Submission, selectOperations } from '../model/submission.ts'
import { listInvalidatedHosted } from '../serving/hosted-files.ts'
import { appendedChanges, appendedRevisions } from '../store/appended-rows.ts'
import type { Database } from '../store/duckdb.ts'
import type { Applying } from './apply-context.ts'
import { applyContributions } from './community/contributions.ts'
import { applySuspensions } from './community/disputed-properties.ts'
import { applyEnrolments, type Enrolment } from './community/enrolments.ts'
import { applyDecisions } from './community/entry-decisions.ts'
import { applyMirrors } from './community/mirrors.ts'
import { applyPolicies } from './community/policies.ts'
import { applySaves, buildApprovedSaves, type Editing, type Saved } from './community/saves.ts'
import { recordEntries } from './community/shown-properties.ts'
import { beginNight, type HeldBack } from './crawl/brake.ts'
import { settleRequests } from './crawl/crawl-requests.ts'
import { applyObservations, applyTransitions } from './crawl/crawl-state.ts'
import { applyDeferrals } from './crawl/deferrals.ts'
import { replaceDocuments } from './crawl/documents.ts'
import { applyHeld, type ReleasedHold } from './crawl/held-publishers.ts'
import { filterImplausible } from './crawl/plausibility.ts'
import { type Poison, quarantine } from './crawl/quarantine.ts'
import { findSubjects, type Subjects } from './dependencies.ts'
import { Files, LARGE_FILE_BYTES } from './derivation-runner.ts'
import { applyMerges, type Merged, noneMerged } from './entities/merges.ts'
import { recordEvents } from './record-events.ts'
import { type Derivation, deriveAgain } from './rederive.ts'
import { applyDomains, domainOperations, findSubmissionsToDo, noteDone } from './submissions.ts'
import { applyTakedown, type TakenAway } from './takedown/apply-takedown.ts'

export interface Batch {
  observations: readonly Observation[]
  submissions: readonly Submission[]
  /** Submissions that come for the first time, by the accounts. */
  fresh?: ReadonlySet<string>
  /** Public agents of the members that the submissions are about. */
  enrolments?: readonly Enrolment[]
  /** Decisions of the accounts that are shown from now on. */
  publications?: Publications
  /** Time at which the submissions were first carried out, where this is a replay. */
  submittedAt?: Instant
  /** Editing facts of the saves among the submissions, from the accounts. */
  editing?: Editing
  /** Decisions about entries that waited for review. */
  decisions?: readonly EntryDecision[]
  /** Domains of entries whose properties have no record yet. */
  unrecorded?: readonly Domain[]
  /** Domains of which nothing may be left. */
  takedowns?: readonly Domain[]
  /** Observations that cannot be applied; they are set aside with their reason. */
  poison?: readonly Poison[]
  /** Actor of the events. */
  actor?: string
}

/** Result of a batch. */
export interface Applied {
  events: FeedEvent[]
  /** Results of its saves, by revision. */
  saved: Map<string, Saved>
  /** Losses that the brake held back, if any. */
  held: HeldBack
  /** Publishers of which more is to be taken on by the next commits. */
  unfinished: number
  /** True where the commit went on with unfinished answers of commits before. */
  isWatching: boolean
}

/**
 * Applies a batch to the index: stores it, derives again what it invalidates, writes the difference and
 * the events. Runs inside the one transaction of a commit. A step without work in the batch is not
 * called: most commits are one save, or files that are as they were.
 */
export async function apply(db: Database, batch: Batch, applying: Applying): Promise<Applied> {
  appendedChanges.begin(db, applying.seq)
  appendedRevisions.begin(db, applying.seq)
  const asked = isAskedNothing(batch) ? nothingAsked : await applyRequests(db, batch, applying)
  const applied = await applyBatchObservations(db, batch, asked, applying)
  const derived = await deriveInvalidated(db, batch, { ...asked, ...applied }, applying)
  const { held, unfinished } = derived
  // What people told comes before what is derived: a file may take it over in the same commit.
  const drafts = [...asked.drafts, ...derived.drafts]
  if (asked !== nothingAsked) drafts.push(...(await applyShown(db, batch, asked.taken, applying)))
  const { observations } = applied
  await settleRequests(db, { observations, poison: batch.poison }, applying)
  const events = drafts.length > 0 ? await recordEvents(db, drafts, batch.actor, applying) : []
  return { events, saved: asked.saved, held, unfinished, isWatching: applied.isWatching }
}

interface Asked {
  /** Submissions that are carried out now. */
  taken: readonly Submission[]
  saved: Map<string, Saved>
  drafts: EventDraft[]
  merged: Merged
  takenAway: TakenAway
  held: ReleasedHold
}
type AppliedObservations = Awaited<ReturnType<typeof applyBatchObservations>>

const nothingTakenAway: TakenAway = { invalidated: [], publishers: [], reached: [] }
const nothingReleased: ReleasedHold = { invalidated: [], released: [] }
const nothingAsked: Asked = {
  taken: [],
  saved: new Map(),
  drafts: [],
  merged: noneMerged,
  takenAway: nothingTakenAway,
  held: nothingReleased,
}

function isAskedNothing(batch: Batch): boolean {
  const { submissions, decisions = [], takedowns = [], enrolments = [], unrecorded = [] } = batch
  const asking = [submissions, decisions, takedowns, enrolments, unrecorded]
  return batch.publications === undefined && asking.every(({ length }) => length === 0)
}

/** Applies requests and decisions of people, as far as nothing must be derived for them. */
async function applyRequests(db: Database, batch: Batch, applying: Applying): Promise<Asked> {
  const { decisions = [], takedowns = [], unrecorded = [] } = batch
  const taken = await findSubmissionsToDo(db, batch.submissions, batch.fresh)
  const saving = applyOwnAndApproved(db, batch, taken, applying)
  await allSettledOrThrow(noteDone(db, taken, applying), saving)
  const { saved, events } = await saving
  const domains = selectOperations(taken, ...domainOperations)
  if (domains.length > 0) await applyDomains(db, domains, applying)
  const decided = decisions.length > 0 ? await applyDecisions(db, decisions, applying) : []
  const recorded = unrecorded.length > 0 ? await recordEntries(db, unrecorded, applying) : []
  const merges = selectOperations(taken, 'property.merge', 'collection.merge')
  const merged = merges.length > 0 ? await applyMerges(db, merges, applying) : noneMerged
  const takenAway =
    takedowns.length > 0 ? await applyTakedown(db, takedowns, applying) : nothingTakenAway
  const holds = selectOperations(taken, 'held.release', 'held.drop')
  const held = holds.length > 0 ? await applyHeld(db, holds, applying) : nothingReleased
  const drafts = [...events, ...decided, ...recorded].filter(
    ({ payload }) => !applying.takenDown.covers(String(payload.publisher_domain)),
  )
  return { taken, saved, drafts, merged, takenAway, held }
}

/** Saves of this commit, and those that were let through. */
async function applyOwnAndApproved(
  db: Database,
  { editing, publications, submittedAt }: Batch,
  taken: readonly Submission[],
  applying: Applying,
): ReturnType<typeof applySaves> {
  const own = editing ?? { editors: new Map(), waiting: new Set() }
  const approved = await buildApprovedSaves(db, publications?.brands ?? [], applying.takenDown)
  return applySaves(
    db,
    [...taken, ...approved.submissions],
    { ...own, editors: new Map([...own.editors, ...approved.editors]) },
    { ...applying, now: submittedAt ?? applying.now },
  )
}

/** Applies plausible observations, and finds whose answers they and everything else invalidate. */
async function applyBatchObservations(
  db: Database,
  batch: Batch,
  asked: Asked,
  applying: Applying,
) {
  const { poison = [], decisions = [] } = batch
  if (poison.length > 0) await quarantine(db, poison, applying)
  const { takenDown } = applying
  const allowed = batch.observations.filter(({ location }) => !takenDown.covers(location))
  const isDeferred = ({ outcome }: Observation) => outcome === 'deferred'
  const definite = allowed.some(isDeferred)
    ? allowed.filter(observation => !isDeferred(observation))
    : allowed
  if (definite !== allowed) await applyDeferrals(db, allowed.filter(isDeferred), applying)
  const observations =
    definite.length > 0 ? await filterImplausible(db, definite, applying) : definite
  const isWatching = isTimeLookedAt(batch, asked)
  const crawled = [
    ...(observations.length > 0 ? await applyObservations(db, observations, applying) : []),
    ...(isWatching ? await applyTransitions(db, applying.now) : []),
    ...asked.held.invalidated,
    ...asked.takenAway.invalidated,
  ]
  const known = new Set(crawled.map(toSourceKey))
  const saved = [...asked.saved.values(), ...decisions]
  const pointing =
    saved.length > 0 ? await listInvalidatedHosted(db, saved, applying.hostingBase) : []
  const invalidated = [...crawled, ...pointing.filter(source => !known.has(toSourceKey(source)))]
  return { observations, invalidated, isWatching }
}

/** Tells whether changes by time alone are applied now; otherwise the tick applies them. */
function isTimeLookedAt(
  { observations, submissions }: Batch,
  { held, takenAway, merged }: Asked,
): boolean {
  const asking = [held.invalidated, held.released, takenAway.invalidated, merged.publishers]
  return (
    observations.length > 0 || submissions.length === 0 || asking.some(({ length }) => length > 0)
  )
}

/** Derives again whatever is invalidated. Publishers that were released or taken down skip the brake. */
async function deriveInvalidated(
  db: Database,
  { takedowns = [], submissions }: Batch,
  { observations, invalidated, isWatching, merged, takenAway, held }: Asked & AppliedObservations,
  applying: Applying,
): Promise<Derivation> {
  const subjects =
    invalidated.length > 0 || isWatching
      ? await findSubjects(db, invalidated, isWatching ? applying.now : undefined)
      : noSubjects
  const isLeft = (domain: Domain) => !applying.takenDown.covers(domain)
  const brand = subjects.brand.filter(isLeft)
  const publisher = [
    ...new Set([...subjects.publisher, ...held.released, ...takenAway.publishers]),
  ].filter(isLeft)
  const reached = [...merged.reached, ...takenAway.reached]
  if (
    [invalidated, brand, publisher, merged.aliases, reached].every(({ length }) => length === 0)
  ) {
    await beginNight(db, applying)
    return nothingDerived
  }
  const files = new Files(db, applying.now, applying)
  await applyDocuments(db, observations, invalidated, files, applying)
  const letThrough = new Set(takedowns.length > 0 ? publisher : held.released)
  return deriveAgain(
    db,
    { brand, publisher },
    invalidated,
    files,
    {
      ...applying,
      released: letThrough,
      // Whoever asked is answered with all that follows; a file that was just read has a commit of its own.
      ...(submissions.length === 0 && { largeFiles: observations.length > 0 ? 0 : 1 }),
    },
    { ...merged, reached },
  )
}

const noSubjects: Subjects = { brand: [], publisher: [] }
const nothingDerived: Derivation = {
  drafts: [],
  held: { publishers: 0, grants: 0, properties: 0 },
  unfinished: 0,
}

/** Applies decisions of the accounts that are shown from now on. */
async function applyShown(
  db: Database,
  { enrolments = [], publications }: Batch,
  taken: readonly Submission[],
  applying: Applying,
): Promise<EventDraft[]> {
  if (enrolments.length > 0) await applyEnrolments(db, enrolments, applying)
  const contributions = selectOperations(taken, 'property.contribute')
  const contributed =
    contributions.length > 0 ? await applyContributions(db, contributions, applying) : []
  if (publications === undefined) return contributed
  await applyPolicies(db, publications, applying)
  const mirrored = await applyMirrors(db, publications.mirrors, applying)
  const suspended = await applySuspensions(db, publications.suspensions, applying)
  return [...contributed, ...mirrored, ...suspended]
}

async function applyDocuments(
  db: Database,
  observations: readonly Observation[],
  invalidated: readonly Invalidated[],
  files: Files,
  applying: Applying,
): Promise<void> {
  const fresh = invalidated.filter(source => source.is_new)
  const knownUntil = new Map(fresh.map(source => [toSourceKey(source), source.known_until ?? 0]))
  const understood = observations
    .filter(isUnderstood)
    .filter(
      observation =>
        observation.observed_at >
        (knownUntil.get(toSourceKey(observation)) ?? Number.POSITIVE_INFINITY),
    )
    .sort((a, b) => a.observed_at - b.observed_at)
  const stored = await replaceDocuments(db, understood, applying)
  for (const observation of stored) {
    if ((observation.bytes ?? 0) <= LARGE_FILE_BYTES) files.add(observation, observation.document)
  }
}
