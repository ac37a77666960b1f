import type { Domain } from '../core/domain.ts'
import type { Invalidated } from '../model/invalidated.ts'
import { isUnderstood, type Observation, toSourceKey } from '../model/observation.ts'
import type { EntryRow } from '../model/rows.ts'
import { listInvalidatedHosted } from '../serving/hosted-files.ts'
import { CommitNotes } from '../store/commit-notes.ts'
import type { Database } from '../store/database.ts'
import { loadClaimingHouses } from '../store/entries.ts'
import type { Applied, ApplyContext, Batch } from './apply-context.ts'
import { recordAgentHealth } from './crawl/agent-health.ts'
import { beginNight } from './crawl/brake.ts'
import { countAttempts } from './crawl/crawl-days.ts'
import { settleRequests } from './crawl/crawl-requests.ts'
import {
  type AppliedAttempts,
  applyObservations,
  applyTransitions,
  type Turned,
} from './crawl/crawl-state.ts'
import { applyDeferrals } from './crawl/deferrals.ts'
import { filterImplausible } from './crawl/plausibility.ts'
import { quarantine } from './crawl/quarantine.ts'
import { replaceDocuments } from './crawl/replace-documents.ts'
import { findSubjects, type Subjects } from './dependencies.ts'
import { Files, LARGE_FILE_BYTES } from './derivation-files.ts'
import { recordEvents } from './record-events.ts'
import { type Derivation, deriveAgain } from './rederive.ts'
import { recordVersions, versionedTables } from './row-versions.ts'
import { type AppliedRequests, applyRequests, applyShown, noRequests } from './submissions.ts'

/**
 * Applies a batch to the index: stores it, derives again what it invalidates, writes the difference and the
 * events. Runs inside the one transaction of a commit. A step without work in the batch is not called, since
 * most commits are one save, or files that have not changed.
 */
export async function apply(db: Database, batch: Batch, context: ApplyContext): Promise<Applied> {
  db.notes = new CommitNotes(context.seq)
  const before = new Map(versionedTables.map(table => [table, db.written.version([table])]))
  const versionBefore = db.written.version(versionedTables)
  const requests = hasOnlyObservations(batch) ? noRequests : await applyRequests(db, batch, context)
  const applied = await applyBatchObservations(db, batch, requests, context)
  const derived = await deriveInvalidated(db, batch, { ...requests, ...applied }, context)
  const { held } = derived
  const unfinished = derived.unfinished + applied.turned.left
  // Events of people's changes come first: a file may replace these changes in the same commit.
  const drafts = [...requests.drafts, ...derived.drafts]
  if (requests !== noRequests)
    drafts.push(...(await applyShown(db, batch, requests.submissions, context)))
  const { attempts } = applied
  await settleRequests(db, { attempts, poison: batch.poison }, context)
  if (db.written.version(versionedTables) !== versionBefore)
    await recordVersions(db, before, context)
  const events = drafts.length > 0 ? await recordEvents(db, drafts, batch.actor, context) : []
  return { events, saved: requests.saved, held, unfinished, hasAppliedTime: applied.hasAppliedTime }
}

/** Tells whether a batch contains only observations. */
function hasOnlyObservations(batch: Batch): boolean {
  const { submissions, decisions = [], takedowns = [], enrolments = [], unrecorded = [] } = batch
  const requests = [submissions, decisions, takedowns, enrolments, unrecorded]
  const hasNoResults = batch.publications === undefined && batch.verdicts === undefined
  return hasNoResults && requests.every(({ length }) => length === 0)
}

type AppliedObservations = Awaited<ReturnType<typeof applyBatchObservations>>

/**
 * Applies plausible observations, and finds the sources that they and everything else in the batch
 * invalidate.
 */
async function applyBatchObservations(
  db: Database,
  batch: Batch,
  requests: AppliedRequests,
  context: ApplyContext,
) {
  const { poison = [], decisions = [] } = batch
  if (poison.length > 0) await quarantine(db, poison, context)
  const { takenDown } = context
  const allowed = batch.observations.filter(({ location }) => !takenDown.covers(location))
  const isDeferred = ({ outcome }: Observation) => outcome === 'deferred'
  const definite = allowed.some(isDeferred)
    ? allowed.filter(observation => !isDeferred(observation))
    : allowed
  if (definite !== allowed) await applyDeferrals(db, allowed.filter(isDeferred), context)
  const observations =
    definite.length > 0 ? await filterImplausible(db, definite, context) : definite
  const hasAppliedTime = isTimeApplied(batch, requests)
  const { attempts, invalidated: answered } =
    observations.length > 0 ? await applyObservations(db, observations, context) : nothingApplied
  await countAttempts(db, attempts, context.seq)
  const probes = attempts.filter(({ after }) => after.kind === 'agent')
  if (probes.length > 0) await recordAgentHealth(db, probes, context.seq)
  const turned = hasAppliedTime ? await applyTransitions(db, context.now) : nothingTurned
  const crawled = [
    ...answered,
    ...turned.files,
    ...requests.held.invalidated,
    ...requests.takedown.invalidated,
  ]
  const known = new Set(crawled.map(toSourceKey))
  const saved = [...requests.saved.values(), ...decisions]
  const pointing =
    saved.length > 0 ? await listInvalidatedHosted(db, saved, context.hostingBase) : []
  const invalidated = [...crawled, ...pointing.filter(source => !known.has(toSourceKey(source)))]
  return { observations, attempts, invalidated, hasAppliedTime, turned }
}

/**
 * Tells whether this commit also applies changes that are due by time alone; otherwise the tick applies them.
 */
function isTimeApplied(
  { observations, submissions }: Batch,
  { held, takedown, merged }: AppliedRequests,
): boolean {
  const invalidating = [held.invalidated, held.released, takedown.invalidated, merged.publishers]
  return (
    observations.length > 0 ||
    submissions.length === 0 ||
    invalidating.some(({ length }) => length > 0)
  )
}

/** Derives again whatever is invalidated. Publishers that were released, or that a take-down reaches, skip the brake. */
async function deriveInvalidated(
  db: Database,
  { takedowns = [], submissions, decisions = [] }: Batch,
  {
    saved,
    observations,
    invalidated,
    hasAppliedTime,
    turned,
    merged,
    takedown,
    held,
  }: AppliedRequests & AppliedObservations,
  context: ApplyContext,
): Promise<Derivation> {
  const subjects =
    invalidated.length > 0 || hasAppliedTime
      ? await findSubjects(db, invalidated, hasAppliedTime ? context.now : undefined)
      : noSubjects
  const claimed =
    saved.size + decisions.length > 0
      ? await listClaimed(db, [...saved.values(), ...decisions])
      : []
  const isPublishable = (domain: Domain) => !context.takenDown.covers(domain)
  const brand = [...new Set([...subjects.brand, ...claimed])].filter(isPublishable)
  const publisher = [
    ...new Set([...subjects.publisher, ...held.released, ...takedown.publishers]),
  ].filter(isPublishable)
  const reached = [...merged.reached, ...takedown.reached]
  if (
    [invalidated, brand, publisher, merged.aliases, reached].every(({ length }) => length === 0)
  ) {
    await beginNight(db, context)
    return nothingDerived
  }
  const files = new Files(db, context.now, context)
  await applyDocuments(db, observations, invalidated, files, context)
  const dependents =
    takedowns.length > 0 ? await findSubjects(db, takedown.invalidated, undefined) : noSubjects
  const released = new Set([...held.released, ...takedown.publishers, ...dependents.publisher])
  return deriveAgain(
    db,
    { brand, publisher },
    invalidated,
    files,
    {
      ...context,
      released,
      turned,
      // A submission is answered with all that follows; a file that was just read has its own commit.
      ...(submissions.length === 0 && { largeFiles: observations.length > 0 ? 0 : 1 }),
    },
    { ...merged, reached },
  )
}

/** Lists the brands among saved entries that a house claims: the house of such an entry is derived. */
async function listClaimed(
  db: Database,
  entries: readonly Pick<EntryRow, 'entity' | 'domain'>[],
): Promise<Domain[]> {
  const brands = entries.filter(({ entity }) => entity === 'brand')
  const houses = await loadClaimingHouses(
    db,
    brands.map(({ domain }) => domain),
  )
  return [...houses.keys()]
}

const nothingApplied: AppliedAttempts = { attempts: [], invalidated: [] }
const nothingTurned: Turned = { files: [], left: 0 }
const noSubjects: Subjects = { brand: [], publisher: [] }
const nothingDerived: Derivation = {
  drafts: [],
  held: { publishers: 0, grants: 0, properties: 0 },
  unfinished: 0,
}

async function applyDocuments(
  db: Database,
  observations: readonly Observation[],
  invalidated: readonly Invalidated[],
  files: Files,
  context: ApplyContext,
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
  const stored = await replaceDocuments(db, understood, context)
  for (const observation of stored) {
    if ((observation.bytes ?? 0) <= LARGE_FILE_BYTES) files.add(observation, observation.document)
  }
}
