import { DAY, type Instant, toDay } from '../../core/clock.ts'
import type { Database } from '../../store/database.ts'

/** Days of counts that are kept: at most some eighty rows a day. */
const RETENTION_DAYS = 731

/** Counts are added to those of the same day, kind and outcome. */
const ADD = `(day, kind, outcome, attempts, seq)
  select date(s.attempted_at / 1000, 'unixepoch'), s.kind, s.outcome, count(*), $seq
  from incoming i join crawl_state s on s.rowid = i.row_id
  where s.seq = $seq and s.attempted_at = i.at_ms group by 1, 2, 3
  on conflict (day, kind, outcome) do update set attempts = attempts + excluded.attempts, seq = excluded.seq`

/**
 * Counts the attempts that the commit in progress applied, by day and outcome, after `applyObservations`.
 * What that ignored, as it was applied before, is not counted again. Takes as many statements for one file as
 * for many.
 */
export async function countAttempts(db: Database, seq: number): Promise<void> {
  await db.write('insert into', 'crawl_days', ADD, { seq })
}

/** Deletes counts of days that are older than two years. */
export async function dropOldCrawlDays(db: Database, now: Instant): Promise<void> {
  await db.write('delete from', 'crawl_days', 'where day < $first', {
    first: toDay(now - RETENTION_DAYS * DAY),
  })
}
