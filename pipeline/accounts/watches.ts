import { DAY, toIso } from '../core/clock.ts'
import { countThings } from '../core/counts.ts'
import type { Answer, OperationOf } from '../model/submission.ts'
import type { WatchProgress } from '../model/watch.ts'
import type { Sqlite } from '../store/sqlite.ts'
import type { OperationDefinitions } from './operation-definition.ts'
import type { AccountStamp } from './stamp.ts'

/** Time for which mails are counted, and for which their rows stay. */
const COUNTED_MS = DAY
const RETENTION_MS = 2 * DAY

function beginWatch(
  db: Sqlite,
  { op: _, most, ...fields }: OperationOf<'watch.begin'>,
  { now, seq }: AccountStamp,
): Answer {
  const { user_id, kind, subject, pace, email } = fields
  const known = db.one<{ watch_id: string }>(
    'select watch_id from watches where user_id = $user_id and kind = $kind and subject = $subject',
    { user_id, kind, subject },
  )
  if (known) {
    const { watch_id } = known
    db.run(
      'update watches set pace = $pace, email = $email, seq = $seq where watch_id = $watch_id',
      {
        watch_id,
        pace,
        email,
        seq,
      },
    )
    return { done: { watch_id } }
  }
  const { count } = db.oneOrThrow<{ count: number }>(
    'select count(*) as count from watches where user_id = $user_id',
    { user_id },
  )
  if (count >= most) {
    return {
      refused: `you watch ${countThings(count, 'thing')}, and may watch ${most}: stop one`,
      error: 'conflict',
    }
  }
  db.insert('watches', [{ ...fields, created_at: toIso(now), reported_seq: seq, known: null, seq }])
  return { done: { watch_id: fields.watch_id } }
}

function changeWatch(
  db: Sqlite,
  { watch_id, user_id, pace }: OperationOf<'watch.change'>,
  { seq }: AccountStamp,
): Answer {
  const changed = db.run(
    'update watches set pace = $pace, seq = $seq where watch_id = $watch_id and user_id = $user_id',
    { watch_id, user_id, pace, seq },
  )
  return changed > 0 ? { done: { watch_id } } : UNKNOWN
}

const UNKNOWN: Answer = { refused: 'you have no watch with this ID', error: 'not_found' }

/** Ends a watch. One that a link names may have ended before. */
function endWatch(db: Sqlite, { watch_id, user_id }: OperationOf<'watch.end'>): Answer {
  const ended = db.run(
    'delete from watches where watch_id = $watch_id and user_id = coalesce($user_id, user_id)',
    { watch_id, user_id: user_id ?? null },
  )
  return ended > 0 || user_id === undefined ? { done: { watch_id } } : UNKNOWN
}

function endDaily(db: Sqlite, { user_id }: OperationOf<'watch.daily.end'>): Answer {
  const where = `where user_id = $user_id and pace = 'daily'`
  return { done: { ended: db.run(`delete from watches ${where}`, { user_id }) } }
}

function recordReport(
  db: Sqlite,
  { watches, mail }: OperationOf<'watch.report'>,
  { now, seq }: AccountStamp,
): Answer {
  const isWatched = watches.some(({ watch_id }) => isKnown(db, watch_id))
  if (!isWatched) return { refused: 'these watches have ended', error: 'not_found' }
  if (mail !== undefined) {
    const { mail_id, user_id, pace, most } = mail
    const { count } = db.oneOrThrow<{ count: number }>(
      'select count(*) as count from watch_mails where user_id = $user_id and sent_at > $since',
      { user_id, since: toIso(now - COUNTED_MS) },
    )
    if (count >= most)
      return {
        refused: `${countThings(count, 'mail')} went to them within a day`,
        error: 'conflict',
      }
    db.run('delete from watch_mails where sent_at < $until', { until: toIso(now - RETENTION_MS) })
    db.insert('watch_mails', [{ mail_id, user_id, pace, sent_at: toIso(now), seq }])
  }
  applyProgress(db, watches, seq)
  return { done: { watches: watches.length } }
}

function isKnown(db: Sqlite, watch_id: string): boolean {
  return db.one('select 1 from watches where watch_id = $watch_id', { watch_id }) !== undefined
}

function takeBack(
  db: Sqlite,
  { watches, mail_id }: OperationOf<'watch.retract'>,
  { seq }: AccountStamp,
): Answer {
  db.run('delete from watch_mails where mail_id = $mail_id', { mail_id })
  applyProgress(db, watches, seq)
  return { done: { watches: watches.length } }
}

function applyProgress(db: Sqlite, watches: readonly WatchProgress[], seq: number): void {
  for (const { watch_id, reported_seq, known } of watches) {
    db.run(
      'update watches set reported_seq = $reported_seq, known = $known, seq = $seq where watch_id = $watch_id',
      { watch_id, reported_seq, known: JSON.stringify(known), seq },
    )
  }
}

type Name =
  | 'watch.begin'
  | 'watch.change'
  | 'watch.end'
  | 'watch.daily.end'
  | 'watch.report'
  | 'watch.retract'

const OWN = 'its person decides: they begin, change and end it in the dashboard'

export const watchDefinitions: OperationDefinitions<Name> = {
  'watch.begin': { perform: beginWatch, irreversible: OWN },
  'watch.change': { perform: changeWatch, irreversible: OWN },
  'watch.end': { perform: endWatch, irreversible: OWN },
  'watch.daily.end': { perform: endDaily, irreversible: OWN },
  'watch.report': { perform: recordReport, irreversible: 'a mail cannot be taken back' },
  'watch.retract': { perform: takeBack, irreversible: 'the mail is sent again by itself' },
}
