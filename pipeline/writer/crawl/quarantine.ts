import { toIso } from '../../core/clock.ts'
import type { RowStamp } from '../../diff/stamp.ts'
import type { Observation } from '../../model/observation.ts'
import type { Database } from '../../store/database.ts'
import type { RecrawlContext } from './recrawl-schedule.ts'

/** Represents an observation that could not be applied, with the error. */
export interface Poison {
  observation: Observation
  reason: string
}

/** Sets observations aside. Their files are not due before the next night: nothing else would say so. */
export async function quarantine(
  db: Database,
  poison: readonly Poison[],
  { seq, nextRun }: Pick<RowStamp, 'seq'> & Pick<RecrawlContext, 'nextRun'>,
): Promise<void> {
  const rows = poison.map(({ observation: { kind, location, observed_at }, reason }) => ({
    kind: String(kind),
    location: String(location),
    observed_at: toIso(Number.isFinite(observed_at) ? observed_at : 0),
    reason,
    seq,
  }))
  await db.insert('quarantine', rows)
  for (const { kind, location } of rows) {
    await db.write(
      'update',
      'crawl_state',
      'set due_at = ms($due), priority = priority where kind = $kind and location = $location',
      { due: toIso(nextRun), kind, location },
    )
  }
}
