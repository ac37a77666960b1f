import { type Instant, toIso } from '../../core/clock.ts'
import type { StoredWatch, Watch } from '../../model/watch.ts'
import type { Sqlite } from '../../store/sqlite.ts'
import type { PrivateReader } from './private-rows.ts'

const OWN = `select watch_id, kind, subject, pace, email, created_at from watches
where user_id = $userId`

/** Lists what a person watches, the oldest first. */
export function listWatches({ record }: PrivateReader, userId: string): Watch[] {
  return record?.all(`${OWN} order by created_at, watch_id`, { userId }) ?? []
}

/** Finds a watch of a person; one of somebody else is not found. */
export function findWatch(
  { record }: PrivateReader,
  userId: string,
  watchId: string,
): Watch | undefined {
  return record?.one(`${OWN} and watch_id = $watchId`, { userId, watchId })
}

/** Finds what a link in a mail ends; undefined once it has ended. */
export function findWatchOfLink(
  { record }: PrivateReader,
  watchId: string,
): Pick<Watch, 'subject'> | undefined {
  return record?.one('select subject from watches where watch_id = $watchId', { watchId })
}

/** Counts the watches of a person whose changes come once a day. */
export function countDailyWatches({ record }: PrivateReader, userId: string): number {
  const sql = `select count(*) as count from watches where user_id = $userId and pace = 'daily'`
  return record?.one<{ count: number }>(sql, { userId })?.count ?? 0
}

/** Lists all watches, those of one person after the other. */
export function listAllWatches(record: Sqlite): StoredWatch[] {
  return record.all(`select watch_id, user_id, kind, subject, pace, email, created_at, reported_seq, known
    from watches order by user_id, created_at, watch_id`)
}

/** Counts the mails that a person got since an instant. */
export function countMails(record: Sqlite, userId: string, since: Instant): number {
  const sql = `select count(*) as count from watch_mails where user_id = $userId and sent_at > $since`
  return record.oneOrThrow<{ count: number }>(sql, { userId, since: toIso(since) }).count
}

/** Lists when each person got their last daily mail. */
export function listLastDailyMails(record: Sqlite): Map<string, string> {
  const rows = record.all<{ user_id: string; sent_at: string }>(
    `select user_id, max(sent_at) as sent_at from watch_mails where pace = 'daily' group by user_id`,
  )
  return new Map(rows.map(({ user_id, sent_at }) => [user_id, sent_at]))
}
