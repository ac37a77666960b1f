import { DAY, type Instant, toDay } from '../../core/clock.ts'
import type { Database } from '../../store/database.ts'
import type { Transition } from './transitions.ts'

/** Days of counts that are kept: at most some eighty rows a day. */
const RETENTION_DAYS = 731

/** Counts are added to those of the same day, kind and outcome. */
const ADD = `(day, kind, outcome, attempts, seq) values (?, ?, ?, ?, ?)
  on conflict (day, kind, outcome) do update set attempts = attempts + excluded.attempts, seq = excluded.seq`

/** Counts the attempts that the commit in progress applied, by day and outcome. */
export async function countAttempts(
  db: Database,
  attempts: readonly Transition[],
  seq: number,
): Promise<void> {
  const counts = new Map<string, number>()
  for (const { after, observation } of attempts) {
    const { kind, outcome, attempted_at } = after
    if (attempted_at === null || attempted_at !== observation.observed_at) continue
    const key = `${Math.floor(attempted_at / DAY)} ${kind} ${outcome}`
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  await db.writeEach('insert into', 'crawl_days', ADD, counts, ([key, n]) => {
    const [day = '', kind = '', outcome = ''] = key.split(' ')
    return [toDay(Number(day) * DAY), kind, outcome, n, seq]
  })
}

/** Deletes counts of days that are older than two years. */
export async function dropOldCrawlDays(db: Database, now: Instant): Promise<void> {
  await db.write('delete from', 'crawl_days', 'where day < $first', {
    first: toDay(now - RETENTION_DAYS * DAY),
  })
}
