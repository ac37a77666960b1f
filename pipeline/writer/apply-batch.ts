import type { Domain } from '../core/domain.ts'
import type { Invalidated } from '../model/invalidated.ts'
import { isUnderstood, type Observation, toSourceKey } from '../model/observation.ts'
import { listInvalidatedHosted } from '../serving/hosted-files.ts'
import { appendedChanges, appendedRevisions, deletedKeys } from '../store/appended-rows.ts'
import type { Database } from '../store/duckdb.ts'
import type { Applied, Applying, Batch } from './apply-context.ts'
import { beginNight } from './crawl/brake.ts'
import { countAttempts } from './crawl/crawl-days.ts'
import { settleRequests } from './crawl/crawl-requests.ts'
import { applyObservations, applyTransitions } from './crawl/crawl-state.ts'
import { applyDeferrals } from './crawl/deferrals.ts'
import { filterImplausible } from './crawl/plausibility.ts'
import { quarantine } from './crawl/quarantine.ts'
import { replaceDocuments } from './crawl/replace-documents.ts'
import { findSubjects, type Subjects } from './dependencies.ts'
import { Files, LARGE_FILE_BYTES } from './derivation-files.ts'
import { recordEvents } from './record-events.ts'
import { type Derivation, deriveAgain } from './rederive.ts'
import { recordVersions, versionedTables } from './row-versions.ts'
import { type Asked, applyRequests, applyShown, nothingAsked } from './submissions.ts'

/**
 * Applies a batch to the index: stores it, derives again what it invalidates, writes the difference and
 * the events. Runs inside the one transaction of a commit. A step without work in the batch is not
 * called: most commits are one save, or files that are as they were.
 */
export async function apply(db: Database, batch: Batch, applying: Applying): Promise<Applied> {
  appendedChanges.begin(db, applying.seq)
  appendedRevisions.begin(db, applying.seq)
  deletedKeys.begin(db)
  const before = new Map(versionedTables.map(table => [table, db.written.version([table])]))
  const wrote = db.written.version(versionedTables)
  const asked = isAskedNothing(batch) ? nothingAsked : await applyRequests(db, batch, applying)
  const applied = await applyBatchObservations(db, batch, asked, applying)
  const derived = await deriveInvalidated(db, batch, { ...asked, ...applied }, applying)
  const { held, unfinished } = derived
  // What people told comes before what is derived: a file may take it over in the same commit.
  const drafts = [...asked.drafts, ...derived.drafts]
  if (asked !== nothingAsked) drafts.push(...(await applyShown(db, batch, asked.taken, applying)))
  const { observations } = applied
  await settleRequests(db, { observations, poison: batch.poison }, applying)
  if (db.written.version(versionedTables) !== wrote) await recordVersions(db, before, applying)
  const events = drafts.length > 0 ? await recordEvents(db, drafts, batch.actor, applying) : []
  return { events, saved: asked.saved, held, unfinished, isWatching: applied.isWatching }
}

/** Tells whether a batch has nothing but observations. */
function isAskedNothing(batch: Batch): boolean {
  const { submissions, decisions = [], takedowns = [], enrolments = [], unrecorded = [] } = batch
  const asking = [submissions, decisions, takedowns, enrolments, unrecorded]
  const isQuiet = batch.publications === undefined && batch.verdicts === undefined
  return isQuiet && asking.every(({ length }) => length === 0)
}

type AppliedObservations = Awaited<ReturnType<typeof applyBatchObservations>>

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
  const applied = observations.length > 0 ? await applyObservations(db, observations, applying) : []
  if (observations.length > 0) await countAttempts(db, applying.seq)
  const crawled = [
    ...applied,
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
  const isPublishable = (domain: Domain) => !applying.takenDown.covers(domain)
  const brand = subjects.brand.filter(isPublishable)
  const publisher = [
    ...new Set([...subjects.publisher, ...held.released, ...takenAway.publishers]),
  ].filter(isPublishable)
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
