import type { Instant } from '../core/clock.ts'
import type { Domain } from '../core/domain.ts'
import { together } from '../core/together.ts'
import type { EventDraft, FeedEvent } from '../model/event.ts'
import { type Observation, sourceKey } from '../model/observation.ts'
import type { Submission } from '../model/submission.ts'
import type { EntryDecision } from './accounts/entry-reviews.ts'
import type { Publications } from './accounts/publications.ts'
import type { Applying } from './applying.ts'
import type { HeldBack } from './brake.ts'
import { notedChanges } from './changes.ts'
import { takeContributions } from './contributions.ts'
import { settleRequests } from './crawl-requests.ts'
import { type Stirred, takeIn, takeTurns } from './crawl-state.ts'
import { subjectsOf } from './dependencies.ts'
import { Files } from './derive.ts'
import { type Derivation, deriveAgain } from './derive-again.ts'
import { isUnderstood, replaceDocuments } from './documents.ts'
import type { Database } from './duckdb.ts'
import { type Enrolment, takeEnrolments } from './enrolments.ts'
import { takeDecisions } from './entry-decisions.ts'
import { takeHeld } from './held.ts'
import { hostedStirred } from './hosted.ts'
import { takeMerges } from './merges.ts'
import { takeMirrors } from './mirrors.ts'
import { takePolicies } from './policies.ts'
import { type Poison, quarantine } from './quarantine.ts'
import { recordEvents } from './record-events.ts'
import { notedRevisions } from './revisions.ts'
import { approvedSaves, type Editing, type Saved, takeSaves } from './saves.ts'
import { noteDone, submissionsToDo, takeDomains } from './submissions.ts'
import { takeSuspensions } from './suspensions.ts'
import { weigh } from './suspicion.ts'
import { takeAway } from './takedown.ts'

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
  const asked = await takeAsked(db, batch, applying)
  const seen = await takeSeen(db, batch, asked, applying)
  const { drafts, held } = await deriveStirred(db, batch, { ...asked, ...seen }, applying)
  drafts.push(...(await takeShown(db, batch, asked.taken, applying)))
  const { observations } = seen
  await settleRequests(db, { observations, poison: batch.poison }, applying)
  const events = await recordEvents(db, drafts, batch.actor, applying)
  return { events, saved: asked.saved, held }
}

type Asked = Awaited<ReturnType<typeof takeAsked>>
type Seen = Awaited<ReturnType<typeof takeSeen>>

/** What people asked for and decided, as far as nothing must be derived for it. */
async function takeAsked(db: Database, batch: Batch, applying: Applying) {
  const taken = await submissionsToDo(db, batch.submissions, batch.fresh)
  const saving = takeOwnAndApproved(db, batch, taken, applying)
  await together(noteDone(db, taken, applying), saving)
  const saved = await saving
  await takeDomains(db, taken, applying)
  await takeDecisions(db, batch.decisions ?? [], applying)
  const merged = await takeMerges(db, taken, applying)
  const takenAway = await takeAway(db, batch.takedowns ?? [], applying)
  const { stirred: held, released } = await takeHeld(db, taken, applying)
  return { taken, saved, merged, takenAway, held, released }
}

/** Saves of this commit, and those that were let through. */
async function takeOwnAndApproved(
  db: Database,
  { editing, publications, submittedAt }: Batch,
  taken: readonly Submission[],
  applying: Applying,
): Promise<Map<string, Saved>> {
  const own = editing ?? { editors: new Map(), waiting: new Set() }
  const approved = await approvedSaves(db, publications?.brands ?? [], applying.takenDown)
  return takeSaves(
    db,
    [...taken, ...approved.submissions],
    { ...own, editors: new Map([...own.editors, ...approved.editors]) },
    { ...applying, now: submittedAt ?? applying.now },
  )
}

/** What crawlers saw, as far as it is believed, and whose answer that and all else stirs. */
async function takeSeen(db: Database, batch: Batch, asked: Asked, applying: Applying) {
  await quarantine(db, batch.poison ?? [], applying)
  const { takenDown } = applying
  const seen = batch.observations.filter(({ location }) => !takenDown.covers(location))
  const observations = await weigh(db, seen, applying)
  const isWatching = isTimeLookedAt(batch, asked)
  const crawled = [
    ...(observations.length > 0 ? await takeIn(db, observations, applying) : []),
    ...(isWatching ? await takeTurns(db, applying.now) : []),
    ...asked.held,
    ...asked.takenAway.stirred,
  ]
  const known = new Set(crawled.map(sourceKey))
  const told = [...asked.saved.values(), ...(batch.decisions ?? [])]
  const pointing = await hostedStirred(db, told, applying.hostingBase)
  const stirred = [...crawled, ...pointing.filter(one => !known.has(sourceKey(one)))]
  return { observations, stirred, isWatching }
}

/** What time alone changes comes with what is derived anyway, and else with the tick. */
function isTimeLookedAt(
  { observations, submissions }: Batch,
  { held, released, takenAway, merged }: Asked,
): boolean {
  const asking = [held, released, takenAway.stirred, merged.publishers]
  return (
    observations.length > 0 || submissions.length === 0 || asking.some(({ length }) => length > 0)
  )
}

/** Derives again whatever is stirred. Who was released, or taken down, is past the brake. */
async function deriveStirred(
  db: Database,
  { takedowns = [] }: Batch,
  { observations, stirred, isWatching, merged, takenAway, released }: Asked & Seen,
  applying: Applying,
): Promise<Derivation> {
  const subjects = await subjectsOf(db, stirred, isWatching ? applying.now : undefined)
  const isLeft = (domain: Domain) => !applying.takenDown.covers(domain)
  const brand = subjects.brand.filter(isLeft)
  const publisher = [
    ...new Set([...subjects.publisher, ...released, ...takenAway.publishers]),
  ].filter(isLeft)
  const files = new Files(db, applying.now, applying)
  await takeDocuments(db, observations, stirred, files, applying)
  const letThrough = new Set(takedowns.length > 0 ? publisher : released)
  const reached = [...merged.reached, ...takenAway.reached]
  return deriveAgain(
    db,
    { brand, publisher },
    stirred,
    files,
    { ...applying, released: letThrough },
    { ...merged, reached },
  )
}

/** What was decided in the accounts and is shown from now on. */
async function takeShown(
  db: Database,
  { enrolments = [], publications }: Batch,
  taken: readonly Submission[],
  applying: Applying,
): Promise<EventDraft[]> {
  await takeEnrolments(db, enrolments, applying)
  const contributed = await takeContributions(db, taken, applying)
  if (publications === undefined) return contributed
  await takePolicies(db, publications, applying)
  const mirrored = await takeMirrors(db, publications.mirrors, applying)
  const suspended = await takeSuspensions(db, publications.suspensions, applying)
  return [...contributed, ...mirrored, ...suspended]
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
