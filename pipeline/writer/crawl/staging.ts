import { getEffect } from '../../core/outcomes.ts'
import type { SourceKind } from '../../model/documents/index.ts'
import { type Observation, toSourceKey } from '../../model/observation.ts'
import type { Database } from '../../store/database.ts'

/** Separator between the texts of one observation; no header can hold it. */
const MARK_END = '\u001f'
const selectMark = (place: number) => `nullif(split_part(marks, chr(31), ${place}), '')`

/**
 * Temporary tables of a batch: `seen` has one row per observation, `shared_values` one row for the values that many
 * observations share. Writing a cell costs as much as finding its shared row. Validators and hash are one
 * text, since most observations have none. The view `incoming` shows each observation as one row, with its
 * number.
 */
const TABLES = `
create or replace temp table seen (location varchar, at_ms double, value_id double, marks varchar);
create or replace temp table shared_values (
  value_id double, kind varchar, outcome varchar, effect varchar, status double,
  retry_after_s double, took_ms double, after_seq double);
create or replace temp view incoming as
select s.rowid as seen_id, kind, location, at_ms, outcome, effect, status, retry_after_s, took_ms,
  after_seq, ${selectMark(1)} as etag, ${selectMark(2)} as last_modified, ${selectMark(3)} as hash,
  ${selectMark(4)} as resolved_url
from seen s join shared_values using (value_id)`

/**
 * Builds the condition that an observation is later than the last one of its file: by its time, or because
 * its file was issued when that one was known already, whatever the clocks say, which are set back and
 * differ between crawlers. A repeated observation was issued before its own result.
 */
export function isLater(alias: string): string {
  const isByTime = `to_timestamp(${alias}.at_ms / 1000) > s.attempted_at`
  return `(${isByTime} or coalesce(${alias}.after_seq >= s.seq, false))`
}

/** Finds the row of each staged observation in crawl_state, so that its millions are searched once in a commit. */
const FIND_ROWS = `
create or replace temp table located as
select i.seen_id, s.rowid as row_id from incoming i join crawl_state s using (kind, location)`

/** Staged observations, and the number of those whose file has a row. */
export interface Staged {
  observations: readonly Observation[]
  located: number
}

/** Stages the last observation of each file and finds its row. */
export async function stage(db: Database, observations: readonly Observation[]): Promise<Staged> {
  const last = keepLatest(observations)
  const shared = new SharedValueRows()
  await db.runTemporary(TABLES)
  await db.append('seen', toRows(last, shared))
  await db.append('shared_values', shared.rows)
  return { observations: last, located: await findRows(db) }
}

/**
 * Finds the rows of the staged observations, into `located`, and returns their number; to be called again when
 * rows were added.
 */
export function findRows(db: Database): Promise<number> {
  return db.runTemporary(FIND_ROWS)
}

function* toRows(observations: readonly Observation[], shared: SharedValueRows) {
  for (const observation of observations) {
    yield [
      observation.location,
      observation.observed_at,
      shared.findNumber(observation),
      toMarks(observation),
    ]
  }
}

function toMarks({ etag, last_modified, hash, resolved_url }: Observation): string | undefined {
  const marks = [etag, last_modified, hash, resolved_url]
  return marks.every(mark => mark === undefined) ? undefined : marks.join(MARK_END)
}

type SharedValues = Pick<
  Observation,
  'outcome' | 'status' | 'retry_after_s' | 'took_ms' | 'after_seq'
>

/** Deduplicates texts that many observations share. */
class SharedValueRows {
  readonly rows: (string | number | undefined)[][] = []
  readonly #numbers = new Map<string, number>()
  /** Shared values of the last observation of each kind; most observations repeat them. */
  readonly #last = new Map<SourceKind, { values: SharedValues; number: number }>()

  findNumber(observation: Observation): number {
    const last = this.#last.get(observation.kind)
    if (last !== undefined && isSame(last.values, observation)) return last.number
    const number = this.#find(observation)
    this.#last.set(observation.kind, { values: observation, number })
    return number
  }

  #find({ kind, outcome, status, retry_after_s, took_ms, after_seq }: Observation): number {
    const row = [kind, outcome, getEffect(outcome), status, retry_after_s, took_ms, after_seq]
    const key = row.join()
    const known = this.#numbers.get(key)
    if (known !== undefined) return known
    const number = this.rows.length
    this.#numbers.set(key, number)
    this.rows.push([number, ...row])
    return number
  }
}

function isSame(a: SharedValues, b: SharedValues): boolean {
  return (
    a.outcome === b.outcome &&
    a.status === b.status &&
    a.after_seq === b.after_seq &&
    a.retry_after_s === b.retry_after_s &&
    a.took_ms === b.took_ms
  )
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
