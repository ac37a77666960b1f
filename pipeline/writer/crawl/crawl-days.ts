import { DAY, type Instant, toDay } from '../../core/clock.ts'
import type { Database } from '../../store/duckdb.ts'

/** Days of counts that are kept: at most some eighty rows a day. */
const RETENTION_DAYS = 731

/** Attempts of one UTC day with the same outcome. */
interface CountedAttempts {
  day: string
  kind: string
  outcome: string
  attempts: number
}

/**
 * Counts the attempts that the commit in progress applied, by day and outcome, after `applyObservations`.
 * What that ignored, as it was applied before, is not counted again.
 */
export async function countAttempts(db: Database, seq: number): Promise<void> {
  const counted = await db.all<CountedAttempts>(
    `select s.attempted_at::date::varchar as day, kind, s.outcome, count(*) as attempts
     from crawl_state s join incoming i using (kind, location)
     where s.seq = $seq and epoch_ms(s.attempted_at) = i.at_ms group by all`,
    { seq },
  )
  for (const { day, kind, outcome, attempts } of counted) {
    const updated = await db.write(
      'update',
      'crawl_days',
      `set attempts = attempts + $attempts::ubigint, seq = $seq
       where day = $day::date and kind = $kind and outcome = $outcome`,
      { day, kind, outcome, attempts, seq },
    )
    if (updated === 0) await db.insert('crawl_days', [{ day, kind, outcome, attempts, seq }])
  }
}

/** Deletes counts of days that are older than two years. */
export async function dropOldCrawlDays(db: Database, now: Instant): Promise<void> {
  await db.write('delete from', 'crawl_days', 'where day < $first::date', {
    first: toDay(now - RETENTION_DAYS * DAY),
  })
}
