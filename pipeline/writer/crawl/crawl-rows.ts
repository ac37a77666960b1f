import type { Instant } from '../../core/clock.ts'
import type { SourceKind } from '../../model/documents/index.ts'
import { type Observation, type Source, toSourceKey } from '../../model/observation.ts'
import type { FileState } from '../../resolve/validity.ts'
import type { Database } from '../../store/database.ts'

/** A row of crawl_state, with its number. */
export interface CrawlRow extends FileState {
  id: number
  kind: SourceKind
  location: string
  priority: number
  streak: number
  failures: number
  due_at: Instant | null
  turns_at: Instant | null
  etag: string | null
  last_modified: string | null
  hash: string | null
  took_ms: number | null
  requested: 0 | 1
  seq: number
}

type Column = Exclude<keyof CrawlRow, 'id' | 'kind' | 'location'>

/** Columns that every attempt changes. */
const TIMES = [
  'attempted_at',
  'succeeded_at',
  'streak',
  'failures',
  'stale_at',
  'ended_at',
  'turns_at',
  'due_at',
  'seq',
] as const satisfies Column[]

/** Columns that an attempt changes whose result is another one than before. */
const RESULT = [
  'outcome',
  'effect',
  'status',
  'streak_since',
  'etag',
  'last_modified',
  'hash',
  'absent_at',
  'took_ms',
  'priority',
  'requested',
] as const satisfies Column[]

const COLUMNS = [...TIMES, ...RESULT]

/** A join with a list finds each file by the index, which reads no other row. */
const FIND = `
select w.key, s.rowid, ${COLUMNS.map(column => `s.${column}`).join(', ')}
from json_each($wanted) w cross join crawl_state s
  on s.location = w.value ->> 0 and s.kind = w.value ->> 1`

/** Files that are looked for by one statement, since their names are one text. */
const FOUND_AT_ONCE = 10_000

/** Loads the rows of these files, in their order; undefined where there is none. */
export async function loadCrawlRows(
  db: Database,
  files: readonly Source[],
): Promise<(CrawlRow | undefined)[]> {
  const rows: (CrawlRow | undefined)[] = Array.from({ length: files.length })
  for (let at = 0; at < files.length; at += FOUND_AT_ONCE) {
    const wanted = files.slice(at, at + FOUND_AT_ONCE).map(({ location, kind }) => [location, kind])
    for (const values of await db.values(FIND, { wanted: JSON.stringify(wanted) })) {
      const place = at + Number(values[0])
      rows[place] = toCrawlRow(files[place] as Source, values)
    }
  }
  return rows
}

/** Makes a row of values in the order of `FIND`; written out, because a night makes one for each file. */
function toCrawlRow({ kind, location }: Source, values: readonly unknown[]): CrawlRow {
  return {
    kind,
    location,
    id: values[1],
    attempted_at: values[2],
    succeeded_at: values[3],
    streak: values[4],
    failures: values[5],
    stale_at: values[6],
    ended_at: values[7],
    turns_at: values[8],
    due_at: values[9],
    seq: values[10],
    outcome: values[11],
    effect: values[12],
    status: values[13],
    streak_since: values[14],
    etag: values[15],
    last_modified: values[16],
    hash: values[17],
    absent_at: values[18],
    took_ms: values[19],
    priority: values[20],
    requested: values[21],
  } as CrawlRow
}

const listTimes = (row: CrawlRow) => [
  row.attempted_at,
  row.succeeded_at,
  row.streak,
  row.failures,
  row.stale_at,
  row.ended_at,
  row.turns_at,
  row.due_at,
  row.seq,
]

/** Writes rows in the order of the table, which touches each of its pages once. */
export async function updateCrawlRows(
  db: Database,
  rows: readonly CrawlRow[],
  { withResult }: { withResult: boolean },
): Promise<void> {
  if (rows.length === 0) return
  const columns = withResult ? COLUMNS : TIMES
  const rest = `set ${columns.map(column => `${column} = ?`).join(', ')} where rowid = ?`
  const sorted = rows.toSorted((a, b) => a.id - b.id)
  const toValues = withResult
    ? (row: CrawlRow) => [...COLUMNS.map(column => row[column]), row.id]
    : (row: CrawlRow) => [...listTimes(row), row.id]
  await db.writeEach('update', 'crawl_state', rest, sorted, toValues)
}

/** Adds rows for files that have none, with priority 2, as a document or a person leads there. */
export async function addCrawlRows(
  db: Database,
  files: readonly Source[],
  seq: number,
): Promise<void> {
  const sorted = files.toSorted(compareByLocation)
  await db.insert(
    'crawl_state',
    sorted.map(({ kind, location }) => {
      return { kind, location, priority: 2, streak: 0, failures: 0, requested: false, seq }
    }),
  )
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

const compareByLocation = (a: Source, b: Source) =>
  compare(a.location, b.location) || compare(a.kind, b.kind)

/**
 * Builds the condition that an observation is later than the last one of its file, as `isLater` tells.
 */
export function buildIsLater(alias: string): string {
  const isByTime = `${alias}.at_ms > s.attempted_at`
  return `(${isByTime} or coalesce(${alias}.after_seq >= s.seq, false))`
}

/**
 * Tells whether an observation is later than the last one of its file: by its time, or because
 * its file was issued when that one was known already, whatever the clocks say, which are set back and
 * differ between crawlers. A repeated observation was issued before its own result.
 */
export function isLater(
  { observed_at, after_seq }: Observation,
  { attempted_at, seq }: { attempted_at: Instant | null; seq: number },
): boolean {
  return (
    attempted_at === null ||
    observed_at > attempted_at ||
    (after_seq !== undefined && after_seq >= seq)
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
