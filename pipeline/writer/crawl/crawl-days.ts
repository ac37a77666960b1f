import { DAY, type Instant, toDay } from '../../core/clock.ts'
import type { Database } from '../../store/database.ts'

/** Days of counts that are kept: at most some eighty rows a day. */
const RETENTION_DAYS = 731

/** Attempts of one UTC day with the same outcome. */
interface CountedAttempts {
  day: string
  kind: string
  outcome: string
  attempts: number
}

/** The counts of a commit as rows, from the parameter `$counted`. */
const COUNTED = `(select unnest(from_json($counted,
    '[{"day":"DATE","kind":"VARCHAR","outcome":"VARCHAR","attempts":"UBIGINT"}]'), recursive := true))`
const SAME = 'known.day = c.day and known.kind = c.kind and known.outcome = c.outcome'

/**
 * Counts the attempts that the commit in progress applied, by day and outcome, after `applyObservations`.
 * What that ignored, as it was applied before, is not counted again. Takes as many statements for one file as
 * for many.
 */
export async function countAttempts(db: Database, seq: number): Promise<void> {
  const rows = await db.all<CountedAttempts>(
    `select s.attempted_at as day, s.kind, s.outcome, count(*) as attempts
     from incoming i join located using (seen_id) join crawl_state s on s.rowid = row_id
     where s.seq = $seq and s.attempted_at = i.at_ms group by all`,
    { seq })
  if (rows.length === 0) return
  const parameters = { counted: JSON.stringify(rows), seq }
  const updated = await db.write(
    'update',
    'crawl_days',
    `as known set attempts = known.attempts + c.attempts, seq = $seq from ${COUNTED} c where ${SAME}`,
    parameters)
  if (updated === rows.length) return
  await db.write(
    'insert into',
    'crawl_days',
    `select day, kind, outcome, attempts, $seq from ${COUNTED} c
     where not exists (select 1 from crawl_days known where ${SAME})`,
    parameters)
}

/** Deletes counts of days that are older than two years. */
export async function dropOldCrawlDays(db: Database, now: Instant): Promise<void> {
  await db.write('delete from', 'crawl_days', 'where day < $first', {
    first: toDay(now - RETENTION_DAYS * DAY),
  })
}
