import type { Instant } from '../../core/clock.ts'
import { getEffect, missingOutcomes } from '../../core/outcomes.ts'
import type { Invalidated } from '../../model/invalidated.ts'
import type { Observation } from '../../model/observation.ts'
import type { Database } from '../../store/database.ts'
import { type RecrawlContext, toParameters } from './recrawl-schedule.ts'
import { findRows, type Staged, stage } from './staging.ts'
import { ALL_TRANSITIONS, SET_TIMES, TRANSITIONS_OF_TIMES } from './transitions.ts'

const saysMissing = (row: string) =>
  `coalesce(${row}.outcome in ('${missingOutcomes.join("', '")}'), false)`

/** An agent that is not known was forgotten while it was probed, and stays so. */
const ADD_UNKNOWN = `(kind, location, priority, streak, requested, seq)
select kind, location, 2, 0, false, $seq
from incoming where row_id is null and kind != 'agent'
order by location, kind`

/** Columns of the temporary table of all transitions of a batch. */
const TRANSITIONS = `seen_id integer primary key, row_id, seen_at, known_at, is_probed, is_unreachable, is_new, is_first,
  changes_validity, new_succeeded_at, new_streak, new_failures, new_stale_at, new_ended_at, new_turns_at, new_due_at,
  is_own, effect_differs, outcome_differs, has_changed`

/** Tells what among the transitions is more than new times. */
const DIFFERENCES = `
select coalesce(max(has_changed), 0) as "any_changed [boolean]",
  coalesce(max(is_own or is_first or changes_validity or effect_differs or outcome_differs), 0) as "any_invalidated [boolean]",
  coalesce(max(is_probed), 0) as "any_probed [boolean]"
from transitions`

/** For a file with the same answer as before: only the times of its row are written. */
const UPDATE_TIMES = `${SET_TIMES} from transitions n where s.rowid = n.row_id`

/** Runs before UPDATE_TIMES, since it needs the time of the previous attempt. */
const UPDATE_OUTCOME = `as s set outcome = i.outcome, effect = if(n.is_unreachable, s.effect, i.effect),
  status = i.status,
  streak_since = if(n.new_streak = 1 and not n.is_unreachable, n.seen_at, s.streak_since),
  etag = case when n.is_unreachable then s.etag when i.outcome = 'unchanged' then coalesce(i.etag, s.etag)
    else i.etag end,
  last_modified = case when n.is_unreachable then s.last_modified
    when i.outcome = 'unchanged' then coalesce(i.last_modified, s.last_modified)
    else i.last_modified end,
  hash = if(n.is_new, i.hash, s.hash),
  absent_at = case
    when i.effect = 'success' or ${saysMissing('i')} then null
    when ${saysMissing('s')} then s.attempted_at
    else s.absent_at end,
  requested = false,
  priority = if(i.effect = 'success' or s.priority < 2, 2, s.priority)
from transitions n join incoming i using (seen_id) where s.rowid = n.row_id and n.has_changed`

/** Duration of a probe; only agents have one, so a night of files writes none. */
const UPDATE_DURATION = `as s set took_ms = i.took_ms
from transitions n join incoming i using (seen_id)
where s.rowid = n.row_id and i.took_ms is not null`

/**
 * Query for invalidated files. A failing house is trusted only for a time (resolve/brand-house.ts), so its
 * brands are invalidated. The answer of a domain's file also decides whether its ads.txt may be used instead.
 */
const INVALIDATED = `
with relevant as (
  select i.kind, i.location, n.*,
    if(is_new, min(coalesce(n.known_at, i.at_ms - 1), i.at_ms - 1), null) as known_until
  from transitions n join incoming i using (seen_id)
  where is_own or is_first or changes_validity or effect_differs or outcome_differs)
select kind, location, is_new as "is_new [boolean]", is_own or instead is not null as "is_own [boolean]", known_until
from relevant left join (select location as instead from crawl_state where kind = 'ads.txt')
  on instead = if(relevant.kind = 'adagents.json' and outcome_differs, location, null)
where is_own or instead is not null or ((is_first or changes_validity or effect_differs) and exists (
  select 1 from depends_on d where d.kind = relevant.kind and d.location = relevant.location))
order by +kind, +location`

/**
 * Number of observations up to which unchanged files get no statement of their own, if there may be others: planning
 * one takes as much processor time as a few thousand rows.
 */
const SMALL_BATCH = 100

/**
 * Applies a batch of observations to crawl_state: unchanged files by one statement, the others by a
 * join that finds what is new and what differs, so that unchanged rows never leave the database. An
 * observation that is not later than the last one of its file is ignored, so a batch may be
 * delivered twice; for the same reason the join skips what the first statement applied.
 */
export async function applyObservations(
  db: Database,
  observations: readonly Observation[],
  recrawling: RecrawlContext,
): Promise<Invalidated[]> {
  const staged = await stage(db, observations)
  const invalidated = await applyStaged(db, staged, recrawling)
  await storeFinalAddresses(db, staged.observations, recrawling)
  return invalidated
}

async function applyStaged(
  db: Database,
  staged: Staged,
  recrawling: RecrawlContext,
): Promise<Invalidated[]> {
  if (isSmallAndChanging(staged)) return applyChanged(db, staged, recrawling)
  const { taken, invalidated } = await applyUnchanged(db, staged, recrawling)
  const others =
    taken === staged.observations.length ? [] : await applyChanged(db, staged, recrawling)
  return invalidated.length === 0 ? others : [...invalidated, ...others].sort(compareSources)
}

/** Tells whether one statement costs less for these observations than one for the unchanged and one for the others. */
function isSmallAndChanging({ observations }: Staged): boolean {
  return (
    observations.length <= SMALL_BATCH &&
    observations.some(({ outcome }) => outcome !== 'unchanged')
  )
}

/** Compares sources by kind and location, which are ASCII. */
function compareSources(a: Invalidated, b: Invalidated): number {
  return a.kind === b.kind ? (a.location < b.location ? -1 : 1) : a.kind < b.kind ? -1 : 1
}

/**
 * Applies observations that change nothing but times, as most of a night do, in one statement. It does
 * what `applyChanged` would do to each, and leaves out those whose own answer must be derived again, or of
 * whose row more than times and counts is written.
 */
const AS_BEFORE = `${SET_TIMES} from (${TRANSITIONS_OF_TIMES}) n where s.rowid = n.row_id`

/** Selects files that expired by this and that other answers depend on. */
const ENDED = `
select kind, location, false as "is_new [boolean]", false as "is_own [boolean]", null as known_until from crawl_state s
where seq = $seq and effect = 'absent' and hash is null and ended_at = attempted_at
  and ended_at <= $now and exists (
    select 1 from depends_on d where d.kind = s.kind and d.location = s.location)
order by +kind, +location`

/** Applies the staged observations of unchanged files; returns their number and what they invalidate. */
export async function applyUnchanged(
  db: Database,
  { observations }: Staged,
  recrawling: RecrawlContext,
): Promise<{ taken: number; invalidated: Invalidated[] }> {
  const parameters = toParameters(recrawling)
  const taken = await db.write('update', 'crawl_state', AS_BEFORE, parameters)
  const mayHaveEnded =
    taken > 0 && observations.some(({ outcome }) => getEffect(outcome) === 'absent')
  return { taken, invalidated: mayHaveEnded ? await db.all<Invalidated>(ENDED, parameters) : [] }
}

/** Applies all staged observations, whatever their outcome. */
export async function applyChanged(
  db: Database,
  staged: Staged,
  recrawling: RecrawlContext,
): Promise<Invalidated[]> {
  const parameters = toParameters(recrawling)
  if (staged.located < staged.observations.length) {
    await db.write('insert into', 'crawl_state', ADD_UNKNOWN, parameters)
    await findRows(db)
  }
  await db.stageQuery('transitions', TRANSITIONS, ALL_TRANSITIONS, parameters)
  const differences = await db.oneOrThrow<Differences>(DIFFERENCES)
  if (differences.any_changed) await db.write('update', 'crawl_state', UPDATE_OUTCOME)
  if (differences.any_probed) await db.write('update', 'crawl_state', UPDATE_DURATION)
  await db.write('update', 'crawl_state', UPDATE_TIMES, parameters)
  return differences.any_invalidated ? db.all<Invalidated>(INVALIDATED) : []
}

interface Differences {
  any_changed: boolean
  any_invalidated: boolean
  any_probed: boolean
}

/**
 * Selects files that were read again, with the stored content, from another address than before. Only the observation
 * that was applied counts, not an older one that is delivered again.
 */
const FIND_MOVED = `
select d.rowid, i.resolved_url
from incoming i join documents d on d.location = i.location and d.kind = i.kind
  join crawl_state s on s.rowid = i.row_id
where i.effect = 'success' and (i.outcome = 'unchanged' or i.hash = d.hash)
  and i.resolved_url is distinct from d.resolved_url and s.attempted_at = i.at_ms`

/**
 * Stores from which address files were read in the end, where only that has changed: their content and its time stay
 * as they are. Called when the observations are staged and applied.
 */
async function storeFinalAddresses(
  db: Database,
  observations: readonly Observation[],
  { seq }: { seq: number },
): Promise<void> {
  if (!observations.some(({ outcome }) => getEffect(outcome) === 'success')) return
  const isRedirected = ({ resolved_url }: Observation) => resolved_url !== undefined
  if (!observations.some(isRedirected) && !(await isAnyStored(db))) return
  if ((await db.stageQuery('moved', 'document_id integer, resolved_url text', FIND_MOVED)) === 0)
    return
  const write =
    'as d set resolved_url = m.resolved_url, seq = $seq from moved m where d.rowid = document_id'
  await db.write('update', 'documents', write, { seq })
}

function isAnyStored(db: Database): Promise<boolean> {
  return db.written.memo('any final address', '', ['documents'], async () => {
    return (
      (await db.one('select 1 from documents where resolved_url is not null limit 1')) !== undefined
    )
  })
}

/** Applies transitions of files whose validity has changed only because of the time. */
export async function applyTransitions(db: Database, now: Instant): Promise<Invalidated[]> {
  const at = { now }
  const turned = await db.all<Invalidated>(
    `select kind, location, false as "is_new [boolean]", hash is not null as "is_own [boolean]",
       null as known_until from crawl_state
     where turns_at <= $now order by +kind, +location`,
    at,
  )
  if (turned.length > 0) {
    await db.write(
      'update',
      'crawl_state',
      `set turns_at = least(
         if(stale_at > $now, stale_at, null),
         if(ended_at > $now, ended_at, null))
       where turns_at <= $now`,
      at,
    )
  }
  return turned
}
