import { Sqlite } from '../../../pipeline/store/sqlite.ts'

const parts = ['join', 'narrow update', 'durable commit'] as const
export type Part = (typeof parts)[number]

/** Elapsed time and CPU time of something; other processes on the machine only add to the first. */
export interface Cost {
  seconds: number
  cpuSeconds: number
}

/**
 * Measures the least that the last `count` commits of crawled files cost. Each file carries the
 * number of its last commit, so these are the very batches of a complete night. For each batch: one
 * join with its list finds the rows and what differs; the new times are written by row number; and the
 * transaction is committed to disk.
 */
export function measureLeast(file: string, count: number): Record<Part, Cost> {
  const record = Sqlite.open(file)
  const costs = Object.fromEntries(
    parts.map(part => [part, { seconds: 0, cpuSeconds: 0 }]),
  ) as Record<Part, Cost>
  const timed = <Result>(part: Part, work: () => Result): Result => {
    const started = performance.now()
    const usedBefore = process.cpuUsage()
    const result = work()
    const { user, system } = process.cpuUsage(usedBefore)
    costs[part].seconds += (performance.now() - started) / 1_000
    costs[part].cpuSeconds += (user + system) / 1e6
    return result
  }
  const commits = record.all<{ seq: number }>(
    'select distinct seq from crawl_state where attempted_at is not null order by seq desc limit $count',
    { count },
  )
  for (const { seq } of commits) {
    const batch = record.values(
      'select location, kind, hash, attempted_at from crawl_state where seq = $seq',
      { seq },
    )
    record.begin()
    const found = timed('join', () => record.values(FIND, { batch: JSON.stringify(batch) }))
    timed('narrow update', () => record.runEach(UPDATE, found, ([id = 0, at = 0]) => [at, id]))
    timed('durable commit', () => record.commit())
  }
  record.close()
  return costs
}

const FIND = `
select s.rowid, w.value ->> 3, w.value ->> 2 is distinct from s.hash
from json_each($batch) w cross join crawl_state s
  on s.location = w.value ->> 0 and s.kind = w.value ->> 1
order by s.rowid`

/** Updates as many columns as an unchanged file has new values for. */
const UPDATE = `
update crawl_state set attempted_at = ?1, succeeded_at = ?1, streak = streak + 1, failures = failures,
  stale_at = ?1, ended_at = ?1, turns_at = ?1, due_at = ?1, seq = seq, priority = priority where rowid = ?2`
