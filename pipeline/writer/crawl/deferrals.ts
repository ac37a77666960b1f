import { type Instant, SECOND } from '../../core/clock.ts'
import type { Observation } from '../../model/observation.ts'
import type { Database } from '../../store/database.ts'

/** Condition: the file was not tried by another commit since, which would end the deferral. */
const STILL_WAITS = 'coalesce(s.attempted_at < d.at_ms, true)'

const LATER = `as s set due_at = d.due_ms, priority = priority
from deferrals d
where s.kind = d.kind and s.location = d.location and s.due_at is not null and ${STILL_WAITS}`

/** Notes the deferral on files that were never tried, so that their freshness shows it. */
const NOTE = `as s set outcome = 'deferred', seq = $seq
from deferrals d
where s.kind = d.kind and s.location = d.location and s.attempted_at is null
  and s.outcome is null`

/**
 * Makes files due later that crawlers did not ask for, since their site or address is asked as often as
 * it may be. No attempt was made, so nothing else of them changes.
 */
export async function applyDeferrals(
  db: Database,
  deferred: readonly Observation[],
  { seq, now }: { seq: number; now: Instant },
): Promise<void> {
  if (deferred.length === 0) return
  await db.stage(
    'deferrals',
    'kind text, location text, at_ms integer, due_ms integer',
    deferred.map(({ kind, location, observed_at, retry_after_s = 60 }) => [
      kind,
      location,
      Math.min(observed_at, now),
      now + retry_after_s * SECOND,
    ]),
  )
  await db.write('update', 'crawl_state', LATER)
  const noted = await db.write('update', 'crawl_state', NOTE, { seq })
  if (noted > 0) db.notes?.forgetAttempts()
}
