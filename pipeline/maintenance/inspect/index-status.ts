import { DAY, type Instant, toIso } from '../../core/clock.ts'
import type { Database } from '../../store/database.ts'

/** State of the index and of its crawls. Times are ISO 8601. */
export interface IndexStatus {
  seq: number
  committed_at: string | null
  brands: number
  publishers: number
  /** Properties that are not removed. */
  properties: number
  /** Authorizations in force. */
  authorizations: number
  agents: number
  /** Files that the registry crawls. */
  files: number
  /** Files that are due and wait for a crawler, and the time since which the first of them waits. */
  due: number
  due_since: string | null
  next_due_at: string | null
  last_attempt_at: string | null
  /** Files by the effect of their last attempt, if that was within a day. */
  day: { effect: string; files: number }[]
  /** Losses of the latest night; null before the first. */
  night: { night: string; publishers: number; losses: number; taken: number } | null
  /** Publishers with held-back removals. */
  held: number
  /** Observations that were set aside within a week. */
  quarantined: number
  /** Why the log of events is not continued, as the indexer says. */
  log_problem?: string
  /** Why new events wait to be logged: `BACKUP_TO` must have them before. */
  log_waits_for?: string
  /** State of the bucket of `PUBLISH_TO`, where one is set. */
  upload?: UploadStatus
  /** State of the backups in `BACKUP_TO`, where it is set. */
  backup?: BackupStatus
}

/** State of a copy in `PUBLISH_TO` or `BACKUP_TO`. */
export interface UploadStatus {
  bucket: string
  /** Time since it had everything that is published, or committed. */
  behind_ms: number
  /** Reason why the last attempt failed. */
  problem?: string
}

export interface BackupStatus extends UploadStatus {
  /** Time of the newest backup; null before the first that this indexer makes, which it tries at once. */
  made_at: string | null
  /** True while an operator has to see to it. */
  is_overdue: boolean
}

const STATUS = `
select (select seq from meta) as seq, (select committed_at from meta) as committed_at,
  (select count(*) from brands) as brands,
  (select count(*) from publishers) as publishers,
  (select count(*) from properties where status = 'active') as properties,
  (select count(*) from authorizations where in_force) as authorizations,
  (select count(*) from agents) as agents,
  count(*) as files,
  (count(*) filter (where due_at <= ms($now))) as due,
  min(due_at) filter (where due_at <= ms($now)) as "due_since [instant]",
  min(due_at) filter (where due_at > ms($now)) as "next_due_at [instant]",
  max(attempted_at) as "last_attempt_at [instant]",
  (select count(*) from held) as held,
  (select count(*) from quarantine where observed_at >= ms($week)) as quarantined
from crawl_state`

const LAST_DAY = `
select if(failures > 0, 'unreachable', effect) as effect, count(*) as files
from crawl_state where attempted_at >= ms($day)
group by 1 order by files desc, 1`

/** The first night has nothing that it could lose. */
const LAST_NIGHT = `
select night, publishers as publishers, losses as losses, taken as taken
from nights where losses > 0 or night > (select min(night) from nights)
order by night desc limit 1`

/** Reports the state of the index and of its crawls. */
export async function reportIndex(db: Database, now: Instant): Promise<IndexStatus> {
  const [status, day, night] = await Promise.all([
    db.oneOrThrow<Omit<IndexStatus, 'day' | 'night'>>(STATUS, {
      now: toIso(now),
      week: toIso(now - 7 * DAY),
    }),
    db.all<IndexStatus['day'][number]>(LAST_DAY, { day: toIso(now - DAY) }),
    db.one<NonNullable<IndexStatus['night']>>(LAST_NIGHT),
  ])
  return { ...status, day, night: night ?? null }
}
