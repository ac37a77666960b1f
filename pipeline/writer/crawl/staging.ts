import { crc32 } from 'node:zlib'
import { getEffect } from '../../core/outcomes.ts'
import { type Observation, toSourceKey } from '../../model/observation.ts'
import type { Database } from '../../store/database.ts'

/** Columns of `incoming`, the staged observations of a batch: each with the row of its file, if it has one. */
const INCOMING = `seen_id integer primary key, kind text, location text, at_ms integer, outcome text, effect text,
  status integer, retry_after_s real, took_ms integer, after_seq integer, etag text, last_modified text, hash text,
  resolved_url text, spread integer, row_id integer`

/** Files fetched in one moment are not due in one: each has one of so many parts of a tenth of its wait. */
const SPREAD = 1_000

/**
 * Builds the condition that an observation is later than the last one of its file: by its time, or because
 * its file was issued when that one was known already, whatever the clocks say, which are set back and
 * differ between crawlers. A repeated observation was issued before its own result.
 */
export function isLater(alias: string): string {
  const isByTime = `${alias}.at_ms > s.attempted_at`
  return `(${isByTime} or coalesce(${alias}.after_seq >= s.seq, false))`
}

/** Finds the row of each staged observation in crawl_state, so that its millions are searched once in a commit. */
const FIND_ROWS = `temp.incoming as i set row_id = (
  select rowid from crawl_state s where s.location = i.location and s.kind = i.kind)
where row_id is null`

/** Staged observations, and the number of those whose file has a row. */
export interface Staged {
  observations: readonly Observation[]
  located: number
}

/** Stages the last observation of each file and finds its row. */
export async function stage(db: Database, observations: readonly Observation[]): Promise<Staged> {
  const last = keepLatest(observations)
  await db.stage('incoming', INCOMING, toRows(last))
  await findRows(db)
  const { n } = await db.oneOrThrow<{ n: number }>('select count(row_id) as n from incoming')
  return { observations: last, located: n }
}

/** Finds the rows of the staged observations; to be called again when rows were added. */
export async function findRows(db: Database): Promise<void> {
  await db.write('update', FIND_ROWS)
}

function* toRows(observations: readonly Observation[]) {
  for (const o of observations) {
    yield [
      null,
      o.kind,
      o.location,
      o.observed_at,
      o.outcome,
      getEffect(o.outcome),
      o.status,
      o.retry_after_s,
      o.took_ms,
      o.after_seq,
      o.etag || null,
      o.last_modified || null,
      o.hash || null,
      o.resolved_url || null,
      crc32(o.location) % SPREAD,
      null,
    ]
  }
}

/** Keeps the last observation of each file; of two with the same time the one that came later. */
export function keepLatest(observations: readonly Observation[]): readonly Observation[] {
  if (hasDistinctFiles(observations)) return observations
  const last = new Map<string, Observation>()
  for (const observation of observations) {
    const key = toSourceKey(observation)
    if ((last.get(key)?.observed_at ?? Number.NEGATIVE_INFINITY) <= observation.observed_at) {
      last.set(key, observation)
    }
  }
  return [...last.values()]
}

/**
 * Tells whether no two observations are of one file, as is nearly always so, without building keys.
 */
function hasDistinctFiles(observations: readonly Observation[]): boolean {
  const kinds = new Map<string, Set<string>>()
  for (const { kind, location } of observations) {
    const locations = kinds.get(kind)
    if (locations === undefined) kinds.set(kind, new Set([location]))
    else locations.add(location)
  }
  return [...kinds.values()].reduce((files, { size }) => files + size, 0) === observations.length
}
