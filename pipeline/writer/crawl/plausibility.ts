import { type Instant, SECOND, toIso } from '../../core/clock.ts'
import { getEffect } from '../../core/outcomes.ts'
import { getOrThrow } from '../../core/present.ts'
import type { DocumentOf } from '../../model/documents/index.ts'
import {
  isUnderstood,
  type Observation,
  type Source,
  toSourceKey,
  type Understood,
} from '../../model/observation.ts'
import {
  type AcceptedDocument,
  checkPlausibility,
  type DocumentHeader,
  type HeldVersion,
  type PlausibilityFault,
} from '../../resolve/plausibility.ts'
import type { Database } from '../../store/database.ts'
import { buildIsLater, keepLatest } from './crawl-rows.ts'

type Known = Source & AcceptedDocument & { requested: boolean; held: HeldVersion | null }

/**
 * Filters a batch before it is applied: an implausible observation becomes an attempt without an answer,
 * and is held; one that settles the doubt ends that. The validators and the hash of a file stay those of
 * the accepted document, so the next attempt brings the doubtful one again. Like the rest of a commit it
 * uses the last observation of each file, and only if it is later than the applied one: a batch may be
 * delivered twice.
 */
export async function filterImplausible(
  db: Database,
  observations: readonly Observation[],
  { now, seq }: { now: Instant; seq: number },
): Promise<readonly Observation[]> {
  if (observations.length === 0) return observations
  const anyHeld = (await db.one('select 1 from held_documents limit 1')) !== undefined
  const isWeighty = (observation: Observation) =>
    anyHeld || (isUnderstood(observation) && hasMarks(observation))
  if (!observations.some(isWeighty)) return observations
  const weighty = keepLatest(observations).filter(isWeighty)
  const last = new Map(weighty.map(observation => [toSourceKey(observation), observation]))
  const known = await loadKnown(db, weighty, now)
  const doubts = new Map<string, { observation: Understood; finding: PlausibilityFault }>()
  const settled: Source[] = []
  for (const file of known) {
    const observation = getOrThrow(last, toSourceKey(file))
    const finding = isUnderstood(observation) ? checkObservation(file, observation) : undefined
    if (finding) doubts.set(toSourceKey(file), { observation: observation as Understood, finding })
    if (file.held && (finding || isSettledBy(observation))) settled.push(file)
  }
  await releaseHeld(db, settled)
  await hold(db, [...doubts.values()], seq)
  if (doubts.size === 0) return observations
  return [
    ...observations.filter(observation => !doubts.has(toSourceKey(observation))),
    ...[...doubts.values()].map(toHeldAttempt),
  ]
}

function checkObservation(
  file: Known,
  { document, observed_at }: Understood,
): PlausibilityFault | undefined {
  const sighting = { ...readMarks(document), observed_at, requested: file.requested }
  return checkPlausibility(file, sighting, file.held ?? undefined)
}

function readMarks(document: DocumentOf): DocumentHeader {
  return {
    last_updated: 'last_updated' in document ? document.last_updated : null,
    authoritative_location:
      'authoritative_location' in document ? document.authoritative_location : null,
  }
}

function hasMarks({ document }: Understood): boolean {
  const { last_updated, authoritative_location } = readMarks(document)
  return last_updated !== null || authoritative_location !== null
}

/** Tells whether an outcome settles a held change: any answer does, no answer does not. */
function isSettledBy({ outcome }: Observation): boolean {
  const effect = getEffect(outcome)
  return effect !== 'unreachable' && effect !== 'garbled'
}

/** Files with a document that other bytes were read of, or with one that is held. */
async function loadKnown(
  db: Database,
  observations: readonly Observation[],
  now: Instant,
): Promise<Known[]> {
  if (observations.length === 0) return []
  await db.stage(
    'candidates',
    'kind text, location text, at_ms integer, hash text, after_seq integer',
    observations.map(({ kind, location, observed_at: at, hash, after_seq }) => {
      return [kind, location, at, hash, after_seq]
    }),
  )
  const rows = await db.all<
    Known & {
      marks: [string | null, string | null]
      reason: HeldVersion['reason'] | null
    } & HeldVersion
  >(
    `select w.kind, w.location, s.requested,
       coalesce(s.ended_at <= ms($now), 0) as "ended [boolean]",
       json_array(d.document ->> '$.last_updated', d.document ->> '$.authoritative_location') as "marks [json]",
       +d.changed_at as accepted_at,
       h.reason, h.leads_to, +h.first_seen_at as first_seen_at
     from candidates w join crawl_state s on s.location = w.location and s.kind = w.kind
     join documents d on d.location = w.location and d.kind = w.kind
     left join held_documents h on h.location = w.location and h.kind = w.kind
     where ${buildIsLater('w')}
       and (h.kind is not null or w.hash is distinct from s.hash)
     order by w.kind, w.location`,
    { now: toIso(now) },
  )
  return rows.map(({ marks, reason, leads_to, first_seen_at, ...file }) => ({
    ...file,
    last_updated: marks[0],
    authoritative_location: marks[1],
    held: reason === null ? null : { reason, leads_to, first_seen_at },
  }))
}

/** Converts an implausible observation to an attempt that brought nothing new. */
function toHeldAttempt({
  observation,
  finding,
}: {
  observation: Understood
  finding: PlausibilityFault
}): Observation {
  const { kind, location, observed_at, status, after_seq } = observation
  const { believed_at } = finding
  return {
    kind,
    location,
    observed_at,
    outcome: 'held' as const,
    faults: [finding.fault],
    ...(status !== undefined && { status }),
    ...(after_seq !== undefined && { after_seq }),
    ...(believed_at !== undefined && {
      retry_after_s: Math.ceil((believed_at - observed_at) / SECOND),
    }),
  }
}

function hold(
  db: Database,
  doubts: readonly { observation: Understood; finding: PlausibilityFault }[],
  seq: number,
): Promise<void> {
  return db.insert(
    'held_documents',
    doubts.map(({ observation, finding: { reason, leads_to, first_seen_at, fault } }) => ({
      kind: observation.kind,
      location: observation.location,
      hash: observation.hash,
      reason,
      leads_to,
      first_seen_at: toIso(first_seen_at),
      seen_at: toIso(observation.observed_at),
      faults: [fault, ...(observation.faults ?? [])],
      document: observation.document,
      seq,
    })),
  )
}

async function releaseHeld(db: Database, files: readonly Source[]): Promise<void> {
  if (files.length === 0) return
  await db.stage(
    'settled',
    'kind text, location text',
    files.map(({ kind, location }) => [kind, location]),
  )
  await db.write(
    'delete from',
    'held_documents',
    'where (kind, location) in (select kind, location from settled)',
  )
}
