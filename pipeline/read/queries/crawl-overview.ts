import { type Instant, toIso } from '../../core/clock.ts'
import type { Outcome } from '../../core/outcomes.ts'
import { declareCache } from '../cache/caches.ts'
import { SnapshotCache } from '../cache/snapshot-cache.ts'
import type { Snapshot } from '../reader.ts'

/** State of the crawls as of a snapshot. Moments are ISO 8601. */
export interface CrawlOverview {
  /** Files by kind and by the outcome of the last attempt; null before the first. */
  outcomes: { kind: string; outcome: Outcome | null; files: number }[]
  /** Files whose last attempt was in an hour of the last day, the earliest first. */
  hours: { hour: string; files: number }[]
  /** Files that were understood for the first time on a day, the latest thirty such days. */
  days: { day: string; files: number }[]
  /** Losses of the latest nights, the latest first. */
  nights: { night: string; publishers: number; losses: number; taken: number }[]
  last_attempt_at: string | null
  next_due_at: string | null
  /** Files that are due and wait for a crawler. */
  due: number
  /** Files that were attempted in the minute before the last attempt. */
  recent_attempts: number
  /** Publishers with held-back removals. */
  held: number
}

type StateCounts = Omit<CrawlOverview, 'outcomes' | 'hours' | 'days' | 'nights'>

const OUTCOMES = `
select kind, outcome, count(*)::double as files from crawl_state
group by all order by kind, files desc, outcome`

const HOURS_QUERY = `
select date_trunc('hour', attempted_at) as hour, count(*)::double as files from crawl_state
where attempted_at >= $since::timestamptz group by all order by hour`

const DAYS_QUERY = `
select date_trunc('day', first_seen_at) as day, count(*)::double as files from documents
group by all order by day desc limit 30`

const NIGHTS_QUERY = `
select night, publishers::double as publishers, losses::double as losses, taken::double as taken
from nights order by night desc limit 14`

const STATE_QUERY = `
select max(attempted_at) as last_attempt_at,
  min(due_at) filter (where due_at > $now::timestamptz) as next_due_at,
  (count(*) filter (where due_at <= $now::timestamptz))::double as due,
  (count(*) filter (where attempted_at > (select max(attempted_at) from crawl_state) - interval 1 minute))::double
    as recent_attempts,
  (select count(*) from held)::double as held
from crawl_state`

const OVERVIEWS_CACHED = 2
const overviews = declareCache(() => new SnapshotCache<CrawlOverview>(OVERVIEWS_CACHED))
const HOUR_MS = 3_600_000
const DAY_HOURS = 24

/** Loads what is known of the crawls, once a snapshot and hour. */
export function loadCrawlOverview(snapshot: Snapshot, now: Instant): Promise<CrawlOverview> {
  const hour = Math.floor(now / HOUR_MS)
  return overviews(snapshot).get(String(hour), () => queryOverview(snapshot, now, hour))
}

async function queryOverview({ db }: Snapshot, now: Instant, hour: number): Promise<CrawlOverview> {
  const since = toIso((hour - DAY_HOURS + 1) * HOUR_MS)
  const [outcomes, hours, days, nights, state] = await Promise.all([
    db.all<CrawlOverview['outcomes'][number]>(OUTCOMES),
    db.all<CrawlOverview['hours'][number]>(HOURS_QUERY, { since }),
    db.all<CrawlOverview['days'][number]>(DAYS_QUERY),
    db.all<CrawlOverview['nights'][number]>(NIGHTS_QUERY),
    db.oneOrThrow<StateCounts>(STATE_QUERY, { now: toIso(now) }),
  ])
  return { outcomes, hours, days: days.reverse(), nights, ...state }
}
