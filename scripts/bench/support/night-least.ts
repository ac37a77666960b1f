import { Database } from '../../../pipeline/store/duckdb.ts'

const parts = ['staging', 'anti-join', 'narrow update', 'durable commit'] as const
export type Part = (typeof parts)[number]

/** Elapsed time and CPU time of something; other processes on the machine only add to the first. */
export interface Cost {
  seconds: number
  cpuSeconds: number
}

interface LeastObservation {
  kind: string
  location: string
  hash: string | null
  at_ms: number
  row_id: number
}

/**
 * Measures the least that the last `count` commits of crawled files cost. Each file carries the
 * number of its last commit, so these are the very batches of a complete night. For each batch: its
 * rows are appended to a temporary table, since nothing else can be joined; one hash join finds
 * what differs; the new times are written by row number, which a real commit must find out first;
 * and the transaction is committed to disk.
 */
export async function measureLeast(file: string, count: number): Promise<Record<Part, Cost>> {
  const index = await Database.open(file, { memoryLimit: '512MB', threads: 1 })
  const costs = Object.fromEntries(
    parts.map(part => [part, { seconds: 0, cpuSeconds: 0 }]),
  ) as Record<Part, Cost>
  const timed = async (part: Part, work: () => Promise<unknown>) => {
    const started = performance.now()
    const usedBefore = process.cpuUsage()
    await work()
    const { user, system } = process.cpuUsage(usedBefore)
    costs[part].seconds += (performance.now() - started) / 1_000
    costs[part].cpuSeconds += (user + system) / 1e6
  }
  const commits = await index.all<{ seq: number }>(
    'select distinct seq from crawl_state where attempted_at is not null order by seq desc limit $count',
    { count },
  )
  for (const { seq } of commits) {
    const batch = await index.all<LeastObservation>(
      `select kind, location, hash, epoch_ms(attempted_at)::double as at_ms, rowid as row_id
       from crawl_state where seq = $seq`,
      { seq },
    )
    await index.run('begin')
    await timed('staging', async () => {
      await index.run(`create or replace temp table seen (
        kind varchar, location varchar, hash varchar, at_ms double, row_id double)`)
      await index.append('seen', toRows(batch))
    })
    await timed('anti-join', () =>
      index.one('select count(*) from seen anti join crawl_state using (kind, location, hash)'),
    )
    await timed('narrow update', () => index.run(UPDATE))
    await timed('durable commit', () => index.run('commit'))
  }
  index.close()
  return costs
}

/** Updates as many columns as an unchanged file has new values for. */
const UPDATE = `
update crawl_state s set attempted_at = to_timestamp(n.at_ms / 1000),
  succeeded_at = to_timestamp(n.at_ms / 1000), streak = s.streak + 1, failures = s.failures,
  stale_at = to_timestamp(n.at_ms / 1000), ended_at = to_timestamp(n.at_ms / 1000),
  turns_at = to_timestamp(n.at_ms / 1000), due_at = to_timestamp(n.at_ms / 1000), seq = s.seq
from seen n where s.rowid = n.row_id::bigint`

function* toRows(batch: readonly LeastObservation[]) {
  for (const { kind, location, hash, at_ms, row_id } of batch) {
    yield [kind, location, hash, at_ms, row_id]
  }
}
